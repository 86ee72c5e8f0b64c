"""All routes, one row each: how they are asked, which permission that takes, what answers."""

from __future__ import annotations

from starlette.responses import Response

from interlock.service import shapes
from interlock.service.answers import json_response
from interlock.service.approvals import routes as requests
from interlock.service.callers.asked import CALL, CALLS
from interlock.service.console import (
    account,
    enrolling,
    evidence,
    exports,
    inbox,
    insights,
    ownership,
    pages,
    passkeys,
    provider_pages,
    publishing,
    signin_pages,
    stopping,
)
from interlock.service.console import people as admitting
from interlock.service.console.stream import stream
from interlock.service.context import ServiceContext
from interlock.service.decide import authzen
from interlock.service.decide import routes as deciding
from interlock.service.decide.answers import DECISION, DECISIONS
from interlock.service.ingest import routes as ingest
from interlock.service.json_shape import ANY, TEXT
from interlock.service.limits import routes as limits
from interlock.service.machines import routes as machines
from interlock.service.machines.stream import stream as down
from interlock.service.openapi import document
from interlock.service.operating import routes as operating
from interlock.service.people import routes as people
from interlock.service.policy import routes as policy
from interlock.service.request import ServiceRequest
from interlock.service.roles import (
    DECIDE,
    MACHINES,
    OWN,
    PEOPLE,
    PUBLIC,
    PUBLISH,
    REQUESTS,
    RESUME,
    SEE,
    SEND,
    STOP,
    TRY,
    VOTE,
)
from interlock.service.routing import CHECKS, Row
from interlock.service.stops import routes as stops
from interlock.wire.batch import MOST_BYTES


def health(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Say that the service and its database are there, and nothing else."""
    del asking
    scene.keeping.read(lambda known: known.setting("service"))
    return json_response({"status": "ok"})


def describe_routes(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Describe these routes, as OpenAPI."""
    del scene, asking
    return json_response(document(ROWS))


PROGRAMS = (
    Row(
        "POST", "/v1/decide", DECIDE, deciding.decide, deciding.MOST_CALL, CALL, DECISION,
    ),
    Row(
        "POST", "/v1/decide/batch", DECIDE, deciding.decide_batch, deciding.MOST_BATCH, CALLS,
        DECISIONS,
    ),
    Row(
        "POST", "/v1/outcomes", DECIDE, deciding.outcomes, body=deciding.OUTCOME,
        gives=deciding.NEW,
    ),
    Row(
        "POST", authzen.EVALUATION, DECIDE, authzen.evaluate, deciding.MOST_CALL,
        authzen.REQUEST, authzen.ANSWER,
    ),
    Row(
        "POST", authzen.EVALUATIONS, DECIDE, authzen.evaluate_all, deciding.MOST_BATCH,
        authzen.MANY, authzen.ANSWERS,
    ),
    Row(
        "GET", "/.well-known/authzen-configuration", PUBLIC, authzen.configuration,
        gives=authzen.CONFIGURATION,
    ),
    Row("GET", "/v1/health", PUBLIC, health, gives=shapes.HEALTH),
    Row("GET", "/healthz", PUBLIC, operating.is_alive, gives=shapes.HEALTH),
    Row("GET", "/readyz", PUBLIC, operating.is_ready, gives=shapes.HEALTH),
    Row("GET", "/metrics", SEE, operating.show_metrics, gives=TEXT, says="text/plain"),
    Row("GET", "/v1/openapi.json", PUBLIC, describe_routes, gives=shapes.DOCUMENT),
    Row(
        "POST", "/v1/enrol", PUBLIC, machines.enrol_machine, body=shapes.ENROL,
        gives=shapes.ENROLLED, status=201,
    ),
    Row(
        "POST", "/v1/chains", SEND, machines.begin_chain, body=shapes.CHAIN, gives=shapes.CHAINED,
        status=201,
    ),
    Row(
        "POST", "/v1/chains/{chain}/events", SEND, ingest.events, MOST_BYTES, shapes.GZIP,
        shapes.RECEIPT, headers=shapes.BATCH, takes="application/octet-stream",
    ),
    Row("POST", "/v1/beat", SEND, machines.beat, body=shapes.BEAT, gives=shapes.AT),
    Row("POST", "/v1/checks", SEND, machines.save_check, CHECKS, shapes.CHECK, shapes.AT),
    Row("GET", "/v1/stream", SEND, down),
    Row(
        "GET", "/v1/stops", SEND, stops.standing, gives=shapes.STANDING,
        query={"have": TEXT},
    ),
    Row("POST", "/v1/stops/{epoch}", SEND, stops.save_report, body=shapes.REPORT, gives=shapes.AT),
    Row("GET", "/v1/requests", SEND, requests.answers, gives=shapes.ANSWERS),
    Row("POST", "/v1/requests", SEND, requests.save_request, CHECKS, shapes.ASK, shapes.ASKED, 201),
    Row(
        "POST", "/v1/requests/{request}", SEND, requests.settle_request, body=shapes.SETTLED,
        gives=shapes.NEW,
    ),
    Row(
        "POST", "/v1/requests/{request}/claim", SEND, requests.claim_grant, body=shapes.CLAIM,
        gives=shapes.GRANT,
    ),
    Row(
        "POST", "/v1/leases", SEND, limits.exchange_leases, CHECKS, shapes.LEASES,
        shapes.LEASED,
    ),
    Row("GET", "/v1/policy/{name}", SEND, policy.document, gives=ANY),
    Row("GET", "/v1/policy/targets/{name}", SEND, policy.content, gives=TEXT, says=policy.YAML),
    Row(
        "POST", "/v1/policy", SEND, policy.save_state, body=shapes.POLICY_STATE, gives=shapes.AT,
    ),
    Row("POST", "/v1/retire", SEND, machines.leave_service, gives=shapes.RETIRED),
    Row(
        "POST", "/v1/tokens", MACHINES, machines.create_token, body=shapes.TOKEN,
        gives=shapes.TOKENED,
        status=201,
    ),
    Row("GET", "/v1/inbox", REQUESTS, inbox.waiting, gives=shapes.INBOX),
    Row(
        "GET", "/v1/decisions", SEE, pages.decisions, gives=shapes.DECISIONS, query=shapes.QUERY,
    ),
    Row(
        "GET", "/v1/insights", SEE, insights.insights, gives=shapes.INSIGHTS,
        query=shapes.DAYS,
    ),
)  # fmt: skip
"""Routes for programs."""
PEOPLES = (
    Row("GET", "/static/{name}", PUBLIC, pages.file),
    Row("GET", "/signin", PUBLIC, signin_pages.signin),
    Row("POST", "/signin", PUBLIC, signin_pages.sign_in),
    Row("GET", "/signin/provider", PUBLIC, provider_pages.there),
    Row("GET", "/signin/provider/back", PUBLIC, provider_pages.back),
    Row("POST", "/signin/passkey", PUBLIC, passkeys.sign_in),
    Row("GET", "/signin/{link}", PUBLIC, people.by_link),
    Row("GET", "/welcome/{link}", PUBLIC, signin_pages.welcome),
    Row("POST", "/welcome/{link}", PUBLIC, signin_pages.accept_invitation),
    Row("GET", "/prove", OWN, signin_pages.prove),
    Row("POST", "/prove", OWN, signin_pages.confirm_presence),
    Row("POST", "/prove/passkey", OWN, passkeys.proven),
    Row("POST", "/signout", OWN, people.sign_out),
    Row("POST", "/signout/everywhere", OWN, people.sign_out_everywhere),
    Row("GET", "/account", OWN, account.account),
    Row("POST", "/account/name", OWN, account.rename_person),
    Row("POST", "/account/password", OWN, account.password),
    Row("GET", "/account/authenticator", OWN, account.authenticator),
    Row("POST", "/account/authenticator", OWN, account.confirm_code),
    Row("POST", "/account/passkeys", OWN, passkeys.add_passkey),
    Row("POST", "/account/passkeys/end", OWN, passkeys.end_passkey),
    Row("GET", "/", SEE, pages.live),
    Row("GET", "/live", SEE, stream),
    Row("GET", "/search", SEE, pages.search),
    Row("GET", "/insights", SEE, insights.show_insights),
    Row("GET", "/sessions", SEE, pages.sessions),
    Row("GET", "/sessions/{source}", SEE, pages.session),
    Row("GET", "/sessions/{source}/evidence", SEE, evidence.download_evidence),
    Row("GET", "/decisions/{source}/{name}", SEE, pages.decision),
    Row("GET", "/machines", SEE, pages.machines),
    Row("GET", "/machines/{name}", SEE, pages.machine),
    Row("GET", "/exports", SEE, exports.exports),
    Row("POST", "/machines", MACHINES, enrolling.make_token),
    Row("POST", "/machines/{name}/retire", MACHINES, enrolling.retire_machine),
    Row("GET", "/inbox", REQUESTS, inbox.inbox),
    Row("GET", "/inbox/{machine}/{request}", REQUESTS, inbox.request),
    Row("POST", "/inbox/{machine}/{request}", VOTE, inbox.answer),
    Row("GET", "/stops", REQUESTS, stopping.show_stops),
    Row("POST", "/stops", STOP, stopping.stop),
    Row("GET", "/stops/{epoch}", REQUESTS, stopping.show_stop),
    Row("POST", "/stops/{epoch}/resume", RESUME, stopping.resume),
    Row("GET", "/policy", SEE, publishing.show_policy),
    Row("POST", "/policy/try", TRY, publishing.try_text, publishing.MOST_FORM),
    Row("POST", "/policy/publish", PUBLISH, publishing.publish, publishing.MOST_FORM),
    Row("POST", "/policy/widen", PUBLISH, publishing.widen),
    Row("POST", "/policy/sign", PUBLISH, publishing.sign),
    Row("POST", "/policy/back", PUBLISH, publishing.go_back),
    Row("GET", "/people", PEOPLE, admitting.people),
    Row("POST", "/people", PEOPLE, admitting.invite_person),
    Row("GET", "/programs", PEOPLE, admitting.programs),
    Row("POST", "/programs", PEOPLE, admitting.create_token),
    Row("POST", "/programs/{name}/end", PEOPLE, admitting.end_token),
    Row("GET", "/people/{name}", PEOPLE, admitting.person),
    Row("POST", "/people/{name}/roles", PEOPLE, admitting.give_role),
    Row("POST", "/people/{name}/roles/take", PEOPLE, admitting.take_role),
    Row("POST", "/people/{name}/reset", PEOPLE, admitting.reset),
    Row("POST", "/people/{name}/end", PEOPLE, admitting.end_person),
    Row("POST", "/machines/{name}/owner", MACHINES, ownership.own),
)
"""Routes for people: the console."""
ROWS = (*PROGRAMS, *PEOPLES)

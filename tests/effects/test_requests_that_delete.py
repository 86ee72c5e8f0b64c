"""A request that removes something at a service elsewhere is asked about in whatever language and
by whatever client it is made; the same to this machine, and one that looks, is not.
"""

from __future__ import annotations

import pytest

from interlock.model.action import ASK
from tests.judging import judged

FAR, HERE = "https://api.example", "http://localhost:3000"
DELETE = {
    "curl": "curl -X DELETE {0}/x",
    "wget": "wget --method=DELETE {0}/x",
    "python": "python3 -c \"import requests; requests.delete('{0}/x')\"",
    "urllib": "python3 -c \"import urllib.request as u; u.urlopen(u.Request('{0}/x', method='DELETE'))\"",
    "node": "node -e \"fetch('{0}/x',{{method:'DELETE'}})\"",
    "axios": "node -e \"require('axios').delete('{0}/x')\"",
    "got": "node -e \"require('got').delete('{0}/x')\"",
    "ky": "node -e \"require('ky').delete('{0}/x')\"",
    "superagent": "node -e \"require('superagent').delete('{0}/x').end()\"",
    "net/http": "ruby -e 'Net::HTTP.new(\"{0}\").delete(\"/x\")'",
    "net/http block": "ruby -e 'Net::HTTP.start(\"{0}\"){{|h| h.delete(\"/x\")}}'",
    "net/http request": "ruby -e 'h=Net::HTTP.new(\"{0}\"); h.request(Net::HTTP::Delete.new(\"/x\"))'",
    "httparty": "ruby -e 'HTTParty.delete(\"{0}/x\")'",
    "faraday": "ruby -e 'Faraday.new(\"{0}\").delete(\"/x\")'",
    "HTTP::Tiny": "perl -e 'HTTP::Tiny->new->delete(\"{0}/x\")'",
    "LWP": "perl -e '$u=LWP::UserAgent->new; $u->request(HTTP::Request->new(\"DELETE\",\"{0}/x\"))'",
    "php curl": "php -r '$c=curl_init(\"{0}/x\"); curl_setopt($c,CURLOPT_CUSTOMREQUEST,\"DELETE\"); curl_exec($c);'",
    "guzzle": "php -r '(new GuzzleHttp\\Client)->delete(\"{0}/x\");'",
    "guzzle request": "php -r '(new GuzzleHttp\\Client)->request(\"DELETE\",\"{0}/x\");'",
    "elixir": "elixir -e 'HTTPoison.delete!(\"{0}/x\")'",
}  # fmt: skip


@pytest.mark.parametrize("client", DELETE)
def test_who_can_get_can_delete(client: str) -> None:
    """Elsewhere it is asked about, here it runs, and looking is no deletion."""
    text = DELETE[client]
    assert judged(text.format(FAR)).action >= ASK
    assert judged(text.format(HERE)).action < ASK
    looked = text.replace("DELETE", "GET").replace("Delete", "Get").replace("delete", "get")
    assert judged(looked.format(FAR)).action < ASK


SENT = (
    "curl -X POST {}", "wget --post-data=a=1 {}", "node -e \"fetch('{}',{{method:'POST'}})\"",
    "python3 -c \"import requests; requests.post('{}')\"",
)  # fmt: skip
LOSING = (
    "/job/x/doDelete",
    "/users/4/terminate",
    "/users/4:purge",
    "/api/deleteAll",
    "/db/wipe",
    "/jobs/1/stop",
    "/jobs/1/cancel",
    "/x?action=delete",
)
PLAIN = (
    "/users",
    "/login",
    "/api/search",
    "/users/4/activate",
    "/deleted/list",
    "/x?filter=delete",
    "/undelete",
)


@pytest.mark.parametrize("form", SENT)
def test_an_address_says_what_is_lost(form: str) -> None:
    """By the last part of its path, or by a field that names what is done."""
    assert all(judged(form.format(FAR + path)).action >= ASK for path in LOSING)
    assert all(judged(form.format(FAR + path)).action < ASK for path in PLAIN)
    assert all(judged(form.format(HERE + path)).action < ASK for path in (*LOSING, *PLAIN))


def test_a_mere_visit_loses_something_where_a_field_says_so() -> None:
    """``?action=delete``; a page about deleting is read."""
    assert judged(f"curl '{FAR}/x.php?action=delete&id=3'").action >= ASK
    assert judged(f"curl '{FAR}/docs/delete'").action < ASK
    assert judged(f"curl '{FAR}/x.php?action=list'").action < ASK
    assert judged(f"curl '{HERE}/x.php?action=delete&id=3'").action < ASK


PUBLISHED = (
    "kafka-console-producer --bootstrap-server {}:9092 --topic orders <<< '{{}}'",
    "kcat -P -b {}:9092 -t orders <<< x",
    "mosquitto_pub -h {} -t cmnd/relay/POWER -m OFF",
    "nats pub orders.new x -s nats://{}:4222",
)


@pytest.mark.parametrize("form", PUBLISHED)
def test_what_is_published_reaches_whoever_listens(form: str) -> None:
    """At a broker elsewhere; one of this machine is for trying."""
    assert judged(form.format("broker.example")).action >= ASK
    assert judged(form.format("localhost")).action < ASK

"""What a text orders where it is sent counts whoever hands it over: a word, a pipe, a file that the
call wrote, a library. To this machine, and where nothing is ordered, it is a message.
"""

from __future__ import annotations

import pytest

from interlock.model.action import ASK
from tests.judging import judged

FAR, HERE = "api.example", "localhost:3000"
CARRIERS = (
    "curl https://{0}/x -d '{1}'",
    "echo '{1}' | curl https://{0}/x --data-binary @-",
    "curl https://{0}/x --json @- <<'E'\n{1}\nE\n",
    "wget -qO- --post-data='{1}' https://{0}/x",
    "echo '{1}' | http POST https://{0}/x",
    "xh post https://{0}/x --raw '{1}'",
    "wscat -c wss://{0}/x -x '{1}'",
    "echo '{1}' | websocat wss://{0}/x",
    "python3 - <<'E'\nimport requests\nrequests.post('https://{0}/x', data='''{1}''')\nE\n",
    "node -e \"fetch('https://{0}/x',{{method:'POST',body:\\`{1}\\`}})\"",
)
ORDERS = (
    '{"op": "shutdown"}',
    '{"cmd":"wipe","id":3}',
    '{"id":1,"action":"delete"}',
    '{"method":"users.delete","params":[1]}',
    '{"query":"mutation { deleteUser(id: 3) { id } }"}',
    '{"query":"mutation M { delete_users_by_pk(id: 3) { id } }"}',
    '{"sql":"DROP TABLE users"}',
    '{"statements":[{"statement":"MATCH (n) DETACH DELETE n"}]}',
    "DROP TABLE users",
)
MESSAGES = (
    '{"op": "list"}',
    '{"title":"delete","text":"drop the table, then shut down"}',
    '{"query":"query { deletedUsers { id } }"}',
    '{"query":"mutation { createNote(text: 1) { id } }"}',
    '{"sql":"SELECT 1"}',
    "please drop table users",
)


IN_FILES = (
    "echo '{0}' > m.json; curl https://api.example/x -d @m.json",
    "echo '{0}' > m.json && wget --post-file=m.json https://api.example/x",
    "echo '{0}' > m.json && curl -T m.json https://api.example/x",
)


@pytest.mark.parametrize("carrier", CARRIERS)
def test_an_order_counts_by_whatever_it_is_sent(carrier: str) -> None:
    """Elsewhere it is asked about; here, and where it orders nothing, it is not."""
    order, message = ORDERS[0], MESSAGES[0]
    if "`" in carrier:
        order, message = order.replace('"', '\\"'), message.replace('"', '\\"')
    assert judged(carrier.format(FAR, order)).action >= ASK
    assert judged(carrier.format(HERE, order).replace("s://", "://")).action < ASK
    assert judged(carrier.format(FAR, message)).action < ASK


@pytest.mark.parametrize("text", [*ORDERS, *MESSAGES])
def test_what_is_an_order_and_what_a_message(text: str) -> None:
    """What loses something is told by fields, mutations and statements, by no other word."""
    asks = judged(CARRIERS[0].format(FAR, text)).action >= ASK
    assert asks == (text in ORDERS)


@pytest.mark.parametrize("carrier", IN_FILES)
def test_an_order_counts_that_the_call_wrote_before(carrier: str) -> None:
    """A file of the call is what it holds."""
    for text in (ORDERS[0], MESSAGES[0]):
        rules = [found.rule for found in judged(carrier.format(text)).findings]
        assert ("infra.change" in rules) == (text in ORDERS)


def test_fields_of_a_form_are_orders_too() -> None:
    """``action=delete`` says the same as a field of JSON does."""
    for line in (
        "curl https://api.example/x -F action=delete",
        "curl https://api.example/x -d 'action=delete&id=3'",
        "http POST https://api.example/x action=delete",
        "python3 -c \"import requests; requests.post('https://api.example/x', json={'action':'delete'})\"",
    ):
        assert judged(line).action >= ASK, line
        assert judged(line.replace("delete", "list")).action < ASK, line


def test_people_are_told_anything() -> None:
    """A message to a chat orders nobody."""
    line = 'curl https://hooks.slack.com/x -d \'{"action":"delete"}\''
    assert all(found.rule != "infra.change" for found in judged(line).findings)


METHODS = {
    "python": "python3 -c \"import pyspark; s = pyspark.sql.SparkSession.builder.getOrCreate(); s.sql('{}')\"",
    "bigquery": "python3 -c \"from google.cloud import bigquery; bigquery.Client().query('{}').result()\"",
    "keyword": "python3 -c \"import acme; acme.Op(task_id='a', sql='{}')\"",
    "r": "Rscript -e 'DBI::dbSendStatement(con, \"{}\")'",
    "julia": 'julia -e \'execute(LibPQ.Connection("host=db.example"), "{}")\'',
    "javascript": "node -e \"require('acme').connect().query('{}')\"",
}


@pytest.mark.parametrize("method", METHODS)
def test_a_statement_counts_in_whatever_is_given_statements(method: str) -> None:
    """What loses a table is asked about, whichever library takes it; what looks is not."""
    assert judged(METHODS[method].format("DROP TABLE users")).action >= ASK
    assert judged(METHODS[method].format("SELECT 1")).action < ASK


def test_a_statement_that_is_shown_is_none() -> None:
    """A log and a print are handed texts."""
    line = (
        "python3 -c \"import logging; logging.info('DROP TABLE users'); print('DROP TABLE users')\""
    )
    assert judged(line).action < ASK


def test_lines_that_end_as_orders_do_are_orders() -> None:
    """A program that nobody described is told what a console is told, but prose is none."""
    assert judged("zman target / <<E\ndelete noprompt backup;\nE\n").action >= ASK
    assert judged("zman target / <<E\nlist backup;\nE\n").action < ASK
    assert judged("echo 'delete what is old' | zman").action < ASK


SAID = {
    "python3 -c \"import socket; s=socket.create_connection(('{0}', 9)); s.sendall(b'{1}')\"": "localhost",
    "python3 -c \"import websocket as w; w.create_connection('wss://{0}/x').send('{1}')\"": "localhost",
    "node -e \"require('acme-client')('https://{0}').emit('x', {1})\"": "localhost",
}


@pytest.mark.parametrize("line", SAID)
def test_an_order_counts_that_is_said_on_a_connection(line: str) -> None:
    """What a socket or a client is given to say is told as the body of a request is."""
    for host, text, asks in (
        ("ctl.example.org", '{"cmd":"shutdown"}', True),
        ("ctl.example.org", '{"cmd":"list"}', False),
        (SAID[line], '{"cmd":"shutdown"}', False),
    ):
        said = text.replace('"', '\\"') if "acme" not in line else text.replace('"', "'")
        assert (judged(line.format(host, said)).action >= ASK) == asks, (host, text)

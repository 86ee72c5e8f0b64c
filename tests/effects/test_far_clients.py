"""What speaks to another machine is told by its address, and what it loses there by its words,
though nobody described the library or the command: the same of this machine is not asked about.
"""

from __future__ import annotations

import pytest

from interlock.model.action import ASK
from tests.judging import judged

MADE = {
    "node -e \"require('ldapjs').createClient({{url:'ldap://{0}'}}).del('cn=x',()=>{{}})\"": "localhost",
    "node -e \"require('acme').connect('acme://{0}').publishAll('x')\"": "127.0.0.1",
    "python3 -c \"import xmlrpc.client as x; x.ServerProxy('http://{0}:9').s.stopAllProcesses()\"": "localhost",
    "python3 -c \"import acme; acme.Client(host='{0}').files_delete_v2('/a')\"": "localhost",
    "python3 -c \"import plc; plc.TcpClient('{0}:502').write_coil(1, True)\"": "localhost",
    "perl -MNet::LDAP -e 'Net::LDAP->new(\"{0}\")->delete(\"cn=x\")'": "localhost",
    "python3 -c \"import paho.mqtt.publish as p; p.single('a','b',hostname='{0}')\"": "localhost",
    "curl -X POST http://{0}/topic/empty?topic=a": "localhost",
    "gitlab-runner register --url https://{0}": "localhost",
    "ghz --do -q 'mutation {{ deleteAll }}' https://{0}/x": "localhost",
    "cockroach node decommission 1 --host={0}": "",
}  # fmt: skip


@pytest.mark.parametrize("line", MADE)
def test_a_client_of_another_machine_is_told_by_its_address(line: str) -> None:
    """Elsewhere what is lost is asked about, here it is one's own."""
    assert judged(line.format("srv.example.org")).action >= ASK
    if MADE[line]:
        assert judged(line.format(MADE[line])).action < ASK


NO_CLIENTS = (
    "node -e \"const u=new URL('https://a.example/x?y=1'); u.searchParams.delete('y')\"",
    "node -e \"const m=new Map([['a.b','c']]); m.delete('a.b')\"",
    "node -e \"const s=require('express')(); s.delete('/x',(q,r)=>r.end())\"",
    "python3 -c \"from app import create_app; create_app('test.cfg').test_client().delete('/users/1')\"",
    "python3 -c \"import packaging.version as v; v.Version('1.2.3.4')\"",
    "php -r '$l=ldap_connect(\"d.example\"); ldap_search($l,\"cn=x\",\"a\");'",
)  # fmt: skip


@pytest.mark.parametrize("line", NO_CLIENTS)
def test_what_only_holds_a_name_is_no_client(line: str) -> None:
    """An address, a map, a route, a version: what is removed of them is lost nowhere."""
    assert judged(line).action < ASK


ASKED_AND_NOT = {
    "php -r '$l=ldap_connect(\"d.example\"); ldap_delete($l,\"cn=x\");'": "php -r 'ldap_read($l,\"cn=x\");'",
    "elixir -e 'Redix.command(c, [\"FLUSHALL\"])'": "elixir -e 'Redix.command(c, [\"GET\", \"a\"])'",
    "node -e \"new (require('acme').Client)({}).execute('TRUNCATE ks.t')\"": "node -e \"new (require('acme').Client)({}).execute('SELECT 1')\"",
    "python3 -c \"d.to_sql('t', e, if_exists='replace')\"": "python3 -c \"d.to_sql('t', e, if_exists='append')\"",
    "python3 -c \"import imaplib as i; m=i.IMAP4_SSL('h.example'); m.expunge()\"": "python3 -c \"import imaplib as i; m=i.IMAP4_SSL('h.example'); m.noop()\"",
    "glab variable list": "glab variable --help",
    "curl http://localhost:6800/jsonrpc -d '{\"dir\":\"/home/user/.ssh\"}'": "curl http://localhost:6800/jsonrpc -d '{\"dir\":\"/home/user/project/a\"}'",
    "steamcmd +app_uninstall 1": "steamcmd +app_info 1",
    "geth --exec 'eth.sendTransaction({})' attach": "geth --exec 'eth.blockNumber' attach",
    "bash /dev/fd/3 3<<< 'rm -rf ~/work'": "bash /dev/fd/3 3<<< 'ls'",
    "pagectl incident ack --ids P1": "pagectl incident list",
}  # fmt: skip


@pytest.mark.parametrize("line", ASKED_AND_NOT)
def test_words_tell_what_is_lost(line: str) -> None:
    """A function, an order, a key or a word says it; its twin only looks."""
    assert judged(line).action >= ASK
    assert judged(ASKED_AND_NOT[line]).action < ASK

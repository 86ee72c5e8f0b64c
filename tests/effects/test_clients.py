"""Programs that speak to databases, clouds and services through a client's library: the names of
its methods tell, in every language.
"""

from __future__ import annotations

import pytest

from interlock.cli.judge import judge_text
from interlock.model.action import VERDICT_ALLOW, VERDICT_ASK
from interlock.model.effect import ChangesDatabase, ChangesInfrastructure, Sends, Writes
from tests.effects.reading import effects_of

DATABASE = {
    "python3 -c \"from pymongo import MongoClient; MongoClient().drop_database('prod')\"": "drop",
    "python3 -c \"import pymongo; pymongo.MongoClient()['a']['b'].delete_many({})\"": "delete-all",
    "python3 -c \"import pymongo; pymongo.MongoClient()['a']['b'].delete_many({'id': 1})\"": "delete",
    'python3 -c "import redis; redis.Redis().flushall()"': "flush",
    'python3 -c "from app import db; db.drop_all()"': "drop",
    'python3 -c "from app.models import User; User.objects.all().delete()"': "delete-all",
    'python3 -c "from app import s, User; s.query(User).delete()"': "delete-all",
    "node -e \"const {MongoClient}=require('mongodb'); new MongoClient(u).db().dropDatabase()\"": "drop",
    "node -e \"require('redis').createClient().flushAll()\"": "flush",
    'node -e "sequelize.sync({force:true})"': "drop",
    "ruby -e 'ActiveRecord::Base.connection.drop_table(:users)'": "drop",
    "php -r '(new Redis)->flushAll();'": "flush",
    "echo flush_all | nc localhost 11211": "flush",
    "printf 'FLUSHALL\\r\\n' | nc -q1 10.0.0.5 6379": "flush",
}
SERVICE = [
    "python3 -c \"import stripe; stripe.Refund.create(charge='c')\"",
    'python3 -c "import docker; docker.from_env().containers.prune()"',
    'python3 -c "import docker; [c.remove(force=True) for c in docker.from_env().containers.list()]"',
    "python3 -c \"from github import Github; Github('t').get_repo('a/b').delete()\"",
    "python3 -c \"import boto3; boto3.resource('s3').Bucket('b').objects.all().delete()\"",
    "node -e \"new AWS.EC2().terminateInstances({InstanceIds:['i']})\"",
]
PERMITTED = [
    'python3 -c "d={}; d.clear(); x=[1]; x.remove(1)"',
    "python3 -c \"from pymongo import MongoClient; print(MongoClient()['a']['b'].count_documents({}))\"",
    "python3 -c \"import boto3; print(boto3.client('s3').list_buckets())\"",
    'python3 -c "import stripe; print(stripe.Charge.list(limit=3))"',
    'python3 -c "from app import s, User; s.query(User).filter_by(id=1).delete()"',
    "python3 -c \"from sqlalchemy import create_engine; e=create_engine('sqlite://'); Base.metadata.drop_all(e)\"",
    "node -e \"const p=new (require('@prisma/client').PrismaClient)(); p.user.deleteMany({where:{id:1}})\"",
    "echo stats | nc localhost 11211",
    "printf 'PING\\r\\n' | nc localhost 6379",
]


@pytest.mark.parametrize(("command", "trait"), DATABASE.items())
def test_what_a_method_does_to_a_database_is_told_by_its_name(command: str, trait: str) -> None:
    """Tables that go, rows that go, all of them or some."""
    assert trait in {
        trait
        for effect in effects_of(command)
        if effect.kind is ChangesDatabase
        for trait in effect.traits
    }


@pytest.mark.parametrize("command", SERVICE)
def test_what_a_client_loses_or_binds_is_asked_about(command: str) -> None:
    """A verb of a client of something that is not here changes it."""
    assert any(effect.kind is ChangesInfrastructure for effect in effects_of(command))
    assert judge_text(command).verdict == VERDICT_ASK


@pytest.mark.parametrize("command", PERMITTED)
def test_looking_and_the_own_types_of_a_language_are_permitted(command: str) -> None:
    """Counting, listing, a filter, a database for the moment, lists and sets."""
    assert judge_text(command).verdict == VERDICT_ALLOW


def test_posting_for_somebody_is_sending() -> None:
    """A message in a chat is read by people."""
    command = "python3 -c \"import slack_sdk; slack_sdk.WebClient('t').chat_postMessage(channel='c', text='x')\""
    assert any(
        effect.kind is Sends and "message" in effect.traits for effect in effects_of(command)
    )


def test_a_server_that_is_told_to_save_elsewhere_writes_there() -> None:
    """Redis writes what it holds wherever a client says; elsewhere it keeps its own folder."""
    told = "printf 'CONFIG SET dir /root/.ssh\\r\\nCONFIG SET dbfilename authorized_keys\\r\\nSAVE\\r\\n' | nc 10.0.0.1 6379"
    assert "/root/.ssh/authorized_keys" in {
        effect.target for effect in effects_of(told) if effect.kind is Writes
    }
    assert not [effect for effect in effects_of("redis-cli SAVE") if effect.kind is Writes]

"""What is a statement that changes a database, and what somebody only looks up."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.effects.statements import changes

CHANGES = """drop table users
DROP TABLE IF EXISTS app.users CASCADE;
drop index idx on users
truncate table orders, items
delete from users
delete from users where id = 1
DELETE FROM ONLY users;
insert into users (a) values (1)
insert into users select * from old
update users set admin = true
update users as u set admin = 1 where id = 2
alter table users add column x int
alter user app with password 'x'
grant all on *.* to app
revoke select on t from app
create user app identified by 'x'
create role app with login
merge into t using s on t.id = s.id when matched then delete
/* tidy */ drop table users
select 1; drop table users; select 2
TRUNCATE users
truncate users;
with old as (select 1) delete from users where id in (select * from old)
explain analyze delete from users"""
LOOKED_UP = """drop table in sqlite
drop table statement
drop down menu css
delete from array javascript
delete from table
how to delete from users where
insert into dict python
insert into a sorted list
truncate text css
truncate table vs delete
update react state set in loop
update dependencies
alter table syntax
grant access to folder windows
create user interface
create user guide
merge into main git
select * from users
truncate users
difference between delete from and truncate; speed
explain delete cascade in postgres
with statement python
"""


@pytest.mark.parametrize("text", CHANGES.splitlines())
def test_a_statement_is_one(text: str) -> None:
    """What a server would carry out is read as SQL wherever it stands."""
    assert changes(text)


@pytest.mark.parametrize("text", LOOKED_UP.splitlines())
def test_a_question_is_none(text: str) -> None:
    """Words about SQL, and those that only begin like it, are data."""
    assert not changes(text)


def test_a_line_of_comment_hides_nothing() -> None:
    """What stands below a comment is read; what is commented out is not."""
    assert changes("-- tidy up\n  drop table users")
    assert not changes("-- drop table users")


@given(st.text(max_size=300))
def test_any_text_can_be_asked_about(text: str) -> None:
    """Nothing raises."""
    assert changes(text) in (True, False)

-- Scripts that wait for an answer from outside (pg_net) would only use up the time of the replay: nothing answers here.
-- The engine knows its own functions by their number, so the one that waits gives way by name, and goes.
set allow_system_table_mods = on;
alter function pg_catalog.pg_sleep(double precision) rename to pg_wait;
create function pg_catalog.pg_sleep(double precision) returns void language sql volatile strict parallel safe as 'select';
create or replace function pg_catalog.pg_sleep_for(interval) returns void language sql volatile strict parallel safe as 'select';
create or replace function pg_catalog.pg_sleep_until(timestamp with time zone) returns void language sql volatile strict parallel safe as 'select';
delete from pg_catalog.pg_proc where pronamespace = 'pg_catalog'::regnamespace and proname = 'pg_wait';
-- What asks for the version is answered as on the platform: nothing may behave otherwise here than there.
alter function pg_catalog.version() rename to pg_version_of_engine;
create function pg_catalog.version() returns text language sql stable strict parallel safe as $$ select 'PostgreSQL 17.6 on x86_64-pc-linux-gnu, compiled by gcc (GCC) 13.2.0, 64-bit'::text $$;
delete from pg_catalog.pg_proc where pronamespace = 'pg_catalog'::regnamespace and proname = 'pg_version_of_engine';
reset allow_system_table_mods;

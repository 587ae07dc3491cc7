-- Roles of the hosted platform. The bootstrap superuser becomes supabase_admin; postgres is what migrations run as: no superuser,
-- but it creates roles, bypasses RLS and owns the database.
create role setup superuser;
set session authorization setup;
alter role postgres rename to supabase_admin;
set session authorization supabase_admin;

create role postgres login createrole createdb replication bypassrls;
create role anon nologin noinherit;
create role authenticated nologin noinherit;
create role service_role nologin noinherit bypassrls;
create role authenticator login noinherit;
create role dashboard_user nologin createrole createdb replication;
create role supabase_auth_admin login noinherit createrole;
create role supabase_storage_admin login noinherit createrole;
create role supabase_functions_admin login noinherit createrole;
create role supabase_realtime_admin nologin noinherit;
create role supabase_replication_admin login replication;
create role supabase_read_only_user login bypassrls;
create role supabase_etl_admin login replication;
create role pgbouncer login;
create role pgsodium_keyiduser nologin;
create role pgsodium_keyholder nologin;
create role pgsodium_keymaker nologin;
create role pgtle_admin nologin;

grant anon, authenticated, service_role to authenticator;
grant anon, authenticated, service_role, authenticator to postgres with admin option;
grant supabase_realtime_admin, pg_monitor, pg_signal_backend, pg_read_all_data, pg_create_subscription to postgres;
grant authenticator to supabase_storage_admin;
grant anon, authenticated, service_role to supabase_storage_admin;
grant postgres to setup;

alter database postgres owner to postgres;
grant set on parameter session_replication_role to postgres;
alter role anon set statement_timeout = '3s';
alter role authenticated set statement_timeout = '8s';

-- Members of pg_database_owner own public, hence postgres does.
grant usage on schema public to postgres, anon, authenticated, service_role;
grant create on schema public to postgres;
alter default privileges for role postgres in schema public grant all on tables to postgres, anon, authenticated, service_role;
alter default privileges for role postgres in schema public grant all on functions to postgres, anon, authenticated, service_role;
alter default privileges for role postgres in schema public grant all on sequences to postgres, anon, authenticated, service_role;
alter default privileges for role supabase_admin in schema public grant all on tables to postgres, anon, authenticated, service_role;
alter default privileges for role supabase_admin in schema public grant all on functions to postgres, anon, authenticated, service_role;
alter default privileges for role supabase_admin in schema public grant all on sequences to postgres, anon, authenticated, service_role;

create schema extensions;
grant usage on schema extensions to postgres, anon, authenticated, service_role, dashboard_user;
grant all on schema extensions to postgres, dashboard_user;
alter default privileges for role supabase_admin in schema extensions grant all on functions to postgres with grant option;
create extension pgcrypto schema extensions;
create extension "uuid-ossp" schema extensions;

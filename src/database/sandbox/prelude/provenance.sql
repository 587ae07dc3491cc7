-- Which statement created, altered or dropped what: the database itself says so, dynamic SQL included.
create schema prelaunch authorization supabase_admin;
create table prelaunch.ddl_log (
  n bigint generated always as identity primary key,
  dropped boolean not null,
  tag text,
  class text,
  oid oid,
  type text,
  schema text,
  identity text,
  rls boolean,
  forced boolean,
  attributes integer,
  owner text
);

create function prelaunch.on_ddl() returns event_trigger language plpgsql security definer set search_path = pg_catalog as $$
begin
  insert into prelaunch.ddl_log (dropped, tag, class, oid, type, schema, identity, rls, forced, attributes, owner)
  select false, c.command_tag, c.classid::regclass::text, c.objid, c.object_type, c.schema_name, c.object_identity, r.relrowsecurity, r.relforcerowsecurity, r.relnatts, pg_get_userbyid(r.relowner)
  from pg_event_trigger_ddl_commands() c left join pg_class r on c.classid = 'pg_class'::regclass and r.oid = c.objid
  where c.in_extension is not true;
end $$;
create function prelaunch.on_drop() returns event_trigger language plpgsql security definer set search_path = pg_catalog as $$
begin
  insert into prelaunch.ddl_log (dropped, tag, class, oid, type, schema, identity)
  select true, 'DROP', d.classid::regclass::text, d.objid, d.object_type, d.schema_name, d.object_identity
  from pg_event_trigger_dropped_objects() d where d.objsubid = 0 and d.classid in ('pg_class'::regclass, 'pg_policy'::regclass, 'pg_proc'::regclass, 'pg_trigger'::regclass, 'pg_namespace'::regclass);
end $$;
grant usage on schema prelaunch to public;
create event trigger prelaunch_ddl on ddl_command_end execute function prelaunch.on_ddl();
create event trigger prelaunch_drop on sql_drop execute function prelaunch.on_drop();
alter event trigger prelaunch_ddl enable always;
alter event trigger prelaunch_drop enable always;
drop role prelaunch_setup;

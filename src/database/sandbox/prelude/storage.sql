create schema storage authorization supabase_storage_admin;
grant usage on schema storage to postgres, anon, authenticated, service_role, dashboard_user;
grant create on schema storage to postgres;

create type storage.buckettype as enum ('STANDARD', 'ANALYTICS', 'VECTOR');
create table storage.buckets (
  id text not null primary key,
  name text not null unique,
  owner uuid,
  created_at timestamptz default now(),
  updated_at timestamptz default now(),
  public boolean default false,
  avif_autodetection boolean default false,
  file_size_limit bigint,
  allowed_mime_types text[],
  owner_id text,
  type storage.buckettype not null default 'STANDARD'
);
create table storage.objects (
  id uuid not null default gen_random_uuid() primary key,
  bucket_id text references storage.buckets (id),
  name text,
  owner uuid,
  created_at timestamptz default now(),
  updated_at timestamptz default now(),
  last_accessed_at timestamptz default now(),
  metadata jsonb,
  path_tokens text[] generated always as (string_to_array(name, '/')) stored,
  version text,
  owner_id text,
  user_metadata jsonb,
  level integer
);
create unique index bucketid_objname on storage.objects (bucket_id, name);
create table storage.prefixes (bucket_id text not null references storage.buckets (id), name text not null, level integer not null default 1, created_at timestamptz default now(), updated_at timestamptz default now(), primary key (bucket_id, level, name));
create table storage.migrations (id integer primary key, name varchar(100) unique not null, hash varchar(40) not null, executed_at timestamp default current_timestamp);
create table storage.s3_multipart_uploads (id text primary key, in_progress_size bigint not null default 0, upload_signature text not null, bucket_id text not null references storage.buckets (id), key text not null, version text not null, owner_id text, created_at timestamptz not null default now(), user_metadata jsonb);
create table storage.s3_multipart_uploads_parts (id uuid primary key default gen_random_uuid(), upload_id text not null references storage.s3_multipart_uploads (id), size bigint not null default 0, part_number integer not null, bucket_id text not null references storage.buckets (id), key text not null, etag text not null, owner_id text, version text not null, created_at timestamptz not null default now());

create function storage.foldername(name text) returns text[] language plpgsql immutable as $$
declare _parts text[];
begin
  select string_to_array(name, '/') into _parts;
  return _parts[1 : array_length(_parts, 1) - 1];
end $$;
create function storage.filename(name text) returns text language plpgsql immutable as $$
declare _parts text[];
begin
  select string_to_array(name, '/') into _parts;
  return _parts[array_length(_parts, 1)];
end $$;
create function storage.extension(name text) returns text language plpgsql immutable as $$
declare _parts text[]; _filename text;
begin
  select string_to_array(name, '/') into _parts;
  select _parts[array_length(_parts, 1)] into _filename;
  return reverse(split_part(reverse(_filename), '.', 1));
end $$;
create function storage.get_size_by_bucket() returns table (size bigint, bucket_id text) language sql stable as $$
  select sum((metadata ->> 'size')::bigint)::bigint, o.bucket_id from storage.objects o group by o.bucket_id
$$;
create function storage.search(prefix text, bucketname text, limits integer default 100, levels integer default 1, offsets integer default 0, search text default '', sortcolumn text default 'name', sortorder text default 'asc')
returns table (name text, id uuid, updated_at timestamptz, created_at timestamptz, last_accessed_at timestamptz, metadata jsonb) language sql stable as $$
  select o.name, o.id, o.updated_at, o.created_at, o.last_accessed_at, o.metadata from storage.objects o where o.bucket_id = bucketname and o.name like prefix || '%' limit limits
$$;
create function storage.can_insert_object(bucketid text, name text, owner uuid, metadata jsonb) returns void language sql as $$ select $$;

do $$
declare r record;
begin
  for r in select c.oid::regclass as name from pg_class c where c.relnamespace = 'storage'::regnamespace and c.relkind = 'r' loop
    execute format('alter table %s owner to supabase_storage_admin', r.name);
    execute format('grant all on %s to postgres, service_role', r.name);
    execute format('alter table %s enable row level security', r.name);
  end loop;
  grant all on storage.buckets, storage.objects, storage.prefixes to anon, authenticated;
  for r in select p.oid::regprocedure as name from pg_proc p where p.pronamespace = 'storage'::regnamespace loop
    execute format('alter function %s owner to supabase_storage_admin', r.name);
  end loop;
end $$;

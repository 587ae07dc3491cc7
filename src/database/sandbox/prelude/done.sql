-- The role that renamed the bootstrap superuser is not needed any more. Nothing of the auditor stays in the database.
drop role setup;

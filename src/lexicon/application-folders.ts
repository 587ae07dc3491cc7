/** Where applications keep what they run; and the names of programs that platforms or people start. */
const APPLICATION_FOLDERS =
  /(?:^|\/)(?:src|app|pages|routes?|lib|libs|api|server|backend|functions|controllers?|handlers?|services?|modules|middleware|utils?|supabase|packages)\/|(?:^|\/)(?:server|index|main|app|worker|middleware|proxy|instrumentation|hooks\.server)\.[^/]+$/i

/** Whether a path says that the application runs the file: `src/lib/db.ts`, `server.js`; not `gulpfile.js`. */
export const isApplicationPath = (path: string): boolean => APPLICATION_FOLDERS.test(path)

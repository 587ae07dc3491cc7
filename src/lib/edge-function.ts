const FUNCTIONS = /(?:^|\/)supabase\/functions\//

/** Whether a file is code of Supabase's edge functions, shared modules of theirs included: it runs in Deno, apart from the rest of the application. */
export const inEdgeFunctions = (path: string): boolean => FUNCTIONS.test(path)

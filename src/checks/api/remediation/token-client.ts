import type { Surroundings } from '../../../model/routes/routes.ts'

/** The lines that make a client which only verifies tokens; none where the file has one. */
export function clientLines(around: Surroundings, names: ReadonlySet<string>, path: string): readonly string[] {
  // a second one of the same name would take the place of the first in what the handler goes on to do; a token is verified by either
  if (names.has('supabase')) return []
  return [...(names.has('createClient') ? [] : ["import { createClient } from '@supabase/supabase-js'", '']), `const supabase = ${newClient(around, path)}`, '']
}

/** A new client, with the variables that the application keeps its address and public key in. */
const newClient = (around: Surroundings, path: string): string => {
  const url = around.variables(/SUPABASE_URL$/)[0] ?? 'SUPABASE_URL'
  const key = around.variables(/SUPABASE_(?:ANON|PUBLISHABLE)\w{0,20}$/)[0] ?? 'SUPABASE_ANON_KEY'
  const sure = /\.tsx?$/.test(path) ? '!' : ''
  return `createClient(process.env.${url}${sure}, process.env.${key}${sure})`
}

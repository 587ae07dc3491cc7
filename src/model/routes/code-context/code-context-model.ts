import type { FunctionIR, JavaScriptFacts } from '../../../facts/javascript.ts'
import type { Place } from '../../../lib/place.ts'
import type { Route } from '../route.ts'
import type { DatabaseCall, Timetable } from './schedules.ts'

/** A request that code of the application makes to a handler of its own. */
export interface OwnRequest extends Place {
  /** The code that makes it runs on the server alone, where no browser puts the cookies of a session along. */
  readonly fromServer: boolean
  /** It may bring a session or a secret: it sends headers that say who calls, or what it sends could not be read. */
  readonly brings: boolean
}

/** What code that is written for a handler finds around it: advice may name nothing else. */
export interface Surroundings {
  /** Names that every function of a file sees: its imports and what the body of the module declares. */
  names(path: string): ReadonlySet<string>
  /** What the first parameter of a handler binds. */
  parameters(route: Pick<Route, 'path' | 'line' | 'endLine'>): readonly string[]
  /** What a handler declares at its top: a second declaration of the same name would not run. */
  locals(route: Pick<Route, 'path' | 'line' | 'endLine'>): ReadonlySet<string>
  /** The file or package that a file imports a name from. */
  source(path: string, name: string): string | undefined
  /** Whether two files import the same under a name. */
  meansSame(name: string, one: string, other: string): boolean
  /** How a router was told of a handler (`router.delete('/:id', …)`), at the place of the route. */
  registered(route: Pick<Route, 'path' | 'line' | 'method'>): { readonly router: string; readonly method: string; readonly path: string } | undefined
  /** The version range that the workspace of a file asks a package for. */
  range(name: string, path: string): string | undefined
  /** Whether a file of the same workspace imports the package, or its manifest names it. */
  uses(name: string, path: string): boolean
  /** Whether a file of the same workspace imports from the package, or from a path of it. */
  imports(name: string, path: string): boolean
  /** Functions of the application's own source that are exported under a name. */
  exported(name: RegExp): readonly Exported[]
  /** What an `if` at a place asks. */
  asked(at: Place): string | undefined
  /** Files of the application's own source that export something under a name. */
  exporting(name: string): readonly string[]
  /** Variables of the environment that the code reads. */
  variables(name: RegExp): readonly string[]
  /** The client that keeps sessions in the storage of the browser, where the server finds none. */
  sessionInStorage(path: string): Place | undefined
  /** Short texts in the code of a file. */
  texts(path: string): readonly string[]
  /** Names by which the code of a file takes something out of something else. */
  members(path: string): ReadonlySet<string>
  /** What the clock starts. */
  readonly timetable: Timetable
  /** The code that calls an edge function, other functions included. */
  callersOf(name: string): readonly DatabaseCall[]
  /** Whether pages call edge functions at all: where they do, one that none calls is not theirs. */
  readonly callsFunctions: boolean
  /** The pages that use a handler, as far as the repository shows. */
  pagesUsing(route: Route): readonly Route[]
  /** The pages of a single-page application that a file is part of; none where no page of it asks who is signed in. */
  pagesWithFile(path: string): readonly Route[]
  /** Whether any page turns away who is not signed in, so that it says something when another does not. */
  readonly guardsPages: boolean
  /** The requests that the application makes to a handler of its own. */
  requestsTo(route: Route): readonly OwnRequest[]
  /** Whether people sign in with Supabase: who uses it for its database alone has no user that its auth server knows. */
  readonly signsInWithSupabase: boolean
  /** Whether Express is told how many proxies stand in front of it: the address of whoever calls is the proxy's otherwise. */
  readonly trustsProxy: boolean
  /** How the code makes its client of Redis at Upstash, where it does. */
  readonly redis: string | undefined
  /** What the body of a file is, for whoever writes after its example. */
  code(path: string): JavaScriptFacts | undefined
  /** The file that a specifier leads to. */
  resolve(path: string, specifier: string): string | undefined
}

/** A function that other files can import. */
export interface Exported extends Place {
  readonly name: string
  readonly fn: FunctionIR
}

/** A pattern for the `matcher` of Next.js that covers all paths below the fixed beginning of a route, whatever stands in its parameters. */
export function matcherBelow(route: string): string {
  const segments = route.split('/')
  const free = segments.findIndex((s) => s.startsWith('['))
  const fixed = segments.slice(0, free < 0 ? undefined : free).join('/')
  return `export const config = { matcher: [/* as before */ '${fixed}/:path*'] }`
}

/** Data that happens to have a code or configuration ending: large JSON and seed dumps are no gap in what a check looks at. */
export function isPlainData(path: string): boolean {
  return /\.(json|ya?ml)$/i.test(path) && !/(^|\/)(package(-lock)?|npm-shrinkwrap|pnpm-lock|tsconfig[^/]*|deno|vercel)\.(json|ya?ml)$/i.test(path)
}

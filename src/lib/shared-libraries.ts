/** Absolute paths of what the dynamic loader has loaded for this Node, itself included (`process.report`); empty where the system does not say. */
export function sharedLibraries(): string[] {
  const { sharedObjects } = process.report.getReport() as unknown as { readonly sharedObjects: readonly string[] }
  return sharedObjects.filter((path) => path.startsWith('/'))
}

/** What every path below a folder begins with: `web/` for `web`, nothing for the root of the repository. */
export const folderPrefix = (dir: string): string => (dir === '' ? '' : `${dir}/`)

/** `prelaunch probe URL [DIR]`. */
export async function probeCommand(_args: readonly string[]): Promise<number> {
  throw new Error('probe is not implemented in this version')
}

/** The store cannot be used; the message is a sentence for the operator. */
export class StoreError extends Error {
  override readonly name = 'StoreError'
}

interface Failure {
  readonly code?: string
  readonly message?: string
}

/** The embedded engine ended: its memory is in no known state, and only opening its files again helps. */
export function isEngineGone(error: unknown): boolean {
  const said = text(error)
  return said.includes('RuntimeError') || said.includes('Aborted(') || said.includes('PGlite is closed')
}

/** Whether the disk or the memory of the store is used up: SQLSTATE class 53, or what the operating system calls it. */
function isFull(error: unknown): boolean {
  return /^53/.test((error as Failure).code ?? '') || (error as Failure).code === 'ENOSPC' || text(error).includes('No space left on device')
}

/** Whether the server of the store is away or ends: SQLSTATE classes 08 and 57P. */
function isAway(error: unknown): boolean {
  return (
    /^(08|57P)/.test((error as Failure).code ?? '') || /Connection terminated|connection timeout|Client has encountered a connection error/i.test(text(error))
  )
}

/** Whether the store, and not the repository or GitHub, is why something failed: it is repeated until the store works again. */
export function isStoreProblem(error: unknown): boolean {
  return error instanceof StoreError || isFull(error) || isAway(error) || isEngineGone(error)
}

/** What is wrong with the store and what to do, in sentences for the operator. */
export function storeProblem(error: unknown): string {
  if (error instanceof StoreError) return error.message
  if (isFull(error)) return 'The store has no room left. Make room on its disk: everything that is stored is resumed within a minute, without a restart.'
  if (isEngineGone(error)) return 'The embedded database ended and is opened again. What was stored is kept.'
  if (isAway(error)) return 'The PostgreSQL server of the store does not answer. What is stored is resumed when it does.'
  return `The store reports an error: ${text(error).split('\n')[0]?.slice(0, 200) || 'it gave no reason'}.`
}

/** A store whose files cannot be read, in sentences: where it is and what to do. */
export function damagedStore(path: string, error: unknown): StoreError {
  if (isFull(error)) return new StoreError(`The disk that holds ${path} is full, so the embedded database cannot be opened. Make room and start again.`)
  return new StoreError(
    `The embedded database in ${path} is damaged and cannot be opened (${text(error).split('\n')[0]?.slice(0, 120) || 'no reason given'}). ` +
      'Put a copy of the folder in its place, or move the folder away to begin anew: runs and comments on GitHub stay, and commits are audited again.',
  )
}

function text(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
}

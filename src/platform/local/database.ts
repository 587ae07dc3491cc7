import type { Database } from '../../database/database.ts'
import { ALL_LAYERS } from '../../database/isolation/layers.ts'
import { type LayersReport, reportLayers } from '../../database/isolation/report.ts'
import { SandboxDatabase, type SandboxOptions } from '../../database/sandbox-database.ts'

/** The sandboxed database of this machine. */
export function localDatabase(options: SandboxOptions = {}): Database {
  return new SandboxDatabase(options)
}

/** Which layers hold around sandboxes of this machine, or of the service at a socket. */
export function sandboxLayers(socket?: string): Promise<LayersReport> {
  return reportLayers(ALL_LAYERS, socket)
}

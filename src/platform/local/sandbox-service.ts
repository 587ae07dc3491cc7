import type { Server } from 'node:net'
import { ALL_LAYERS } from '../../database/isolation/layers.ts'
import { type LayersReport, reportLayers } from '../../database/isolation/report.ts'
import { startService } from '../../database/isolation/service.ts'

/** The same limit as for a sandbox that the App watches itself: 30 % above what a replay may take. */
const MEMORY_BYTES = 2.6 * 2 ** 30

/** More than the audits that one service is meant for; each takes a sandbox or two. */
const MOST = 16

/** The service with every layer that this machine allows; `folder` is where the template is kept. */
export async function serviceOfThisMachine(socket: string, folder: string): Promise<{ readonly server: Server; readonly layers: LayersReport }> {
  const server = await startService({ socket, cacheDir: folder, layers: ALL_LAYERS, memoryBytes: MEMORY_BYTES, most: MOST })
  return { server, layers: await reportLayers(ALL_LAYERS) }
}

import { SandboxDatabase } from '../../src/database/sandbox-database.ts'
import { localPorts } from '../../src/platform/local/ports.ts'

/** Ports whose database has time: what is measured is the judgement, not how busy the machine is. */
export async function patientPorts(dir: string): ReturnType<typeof localPorts> {
  const ports = await localPorts(dir, { offline: true })
  const database = new SandboxDatabase({ budgetMs: 120_000, stepMs: 20_000 })
  return {
    ...ports,
    database,
    close: async () => {
      await Promise.all([ports.close(), database.close()])
    },
  }
}

import { readFile } from 'node:fs/promises'
import { cachePath } from '../../lib/cache-path.ts'
import type { Template } from '../sandbox/protocol.ts'
import { confinementOf } from './confinement.ts'
import { launchSandbox } from './launch.ts'
import type { Layers } from './layers.ts'
import { SandboxProcess } from './sandbox-process.ts'
import { templateIn, templateName } from './template-file.ts'

/** Where sandboxes come from. */
export interface SourceOptions {
  readonly layers: Layers
  /** Unix socket of the service; processes of this machine when absent. */
  readonly socket?: string
  /** Where the prepared template is kept between runs; the user's cache folder when absent. */
  readonly cacheDir?: string
}

/** Starts sandboxes from a template that is prepared once. */
export class SandboxSource {
  readonly #options: SourceOptions
  #template: Promise<string | Buffer> | undefined

  constructor(options: SourceOptions) {
    this.#options = options
  }

  /** A sandbox whose engine starts; with `again` one that takes more than one replay. */
  async start(again: boolean): Promise<SandboxProcess> {
    const { process, template } = this.#options.socket ? atService(this.#options.socket) : await this.#here()
    process.send({ type: 'start', template, ...(again ? { again } : {}) })
    return process
  }

  async #here(): Promise<Started> {
    const { layers, cacheDir } = this.#options
    // Both take a while at first; neither needs the other.
    const confinement = confinementOf(layers)
    this.#template ??= templateIn(cacheDir ?? cachePath(), layers)
    const template = await this.#template
    // Another user cannot read a file of this user's cache.
    const readable = typeof template === 'string' && (await confinement).by !== 'otherUser'
    const child = await launchSandbox({ layers, ...(readable ? { template } : {}) })
    return { process: SandboxProcess.of(child), template: readable ? { name: templateName() } : { base64: await base64(template) } }
  }
}

interface Started {
  readonly process: SandboxProcess
  readonly template: Template
}

/** The service has built its own template; its name tells whether it is the same. */
function atService(socket: string): Started {
  return { process: SandboxProcess.at(socket), template: { name: templateName() } }
}

async function base64(template: string | Buffer): Promise<string> {
  return (typeof template === 'string' ? await readFile(template) : template).toString('base64')
}

import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

/** The answer of a tool. */
export interface ToolAnswer {
  readonly isError: boolean
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: the shape of each tool is what the tests assert
  readonly structured: any
}

/** A client of the SDK that talks to `prelaunch mcp` in a process of its own. No code may be made out of text there. */
export async function connect(
  dir: string,
): Promise<{ call(name: string, args?: Record<string, unknown>): Promise<ToolAnswer>; readonly client: Client; close(): Promise<void> }> {
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: ['--disallow-code-generation-from-strings', resolve('src/cli.ts'), 'mcp', dir, '--offline'],
      env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '' },
      stderr: 'inherit',
    }),
  )
  return {
    client,
    close: () => client.close(),
    call: async (name, args = {}) => {
      const { isError, content, structuredContent } = await client.callTool({ name, arguments: args }, { timeout: 300_000 })
      const [first] = content as readonly { readonly text?: string }[]
      return { isError: isError === true, text: first?.text ?? '', structured: structuredContent }
    },
  }
}

/** Writes files into a new folder below `root`. */
export function writeFiles(root: string, files: Readonly<Record<string, string>>): string {
  const dir = mkdtempSync(join(root, 'app-'))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), text)
  }
  return dir
}

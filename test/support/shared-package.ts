import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { TestProject } from 'vitest/node'

import { pack } from './packed-package.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where test files ask for the packed package that they share. */
    packedPackage: string | undefined
  }
}

/** One `npm pack` for all test files: it takes two seconds of a core. It runs when the first of them asks. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'second-factor-packed-'))
  let packing: ReturnType<typeof pack> | undefined
  const server = createServer((_req, res) => {
    packing ??= pack(folder)
    packing.then(
      (packed) => res.end(JSON.stringify(packed)),
      (error: unknown) => res.writeHead(500).end(String(error)),
    )
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  provide('packedPackage', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)

  return async () => {
    server.closeAllConnections()
    await new Promise((resolve) => void server.close(resolve))
    await packing?.catch(() => undefined)
    rmSync(folder, { recursive: true, force: true })
  }
}

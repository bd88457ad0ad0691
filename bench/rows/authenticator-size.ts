import { get } from 'node:http'

import type { Row } from '../row.ts'
import { figure } from '../row.ts'
import { command, serve } from '../../test/processes/command.ts'
import { sqliteFile } from './start-service.ts'

const encodings = ['br', 'gzip', 'identity'] as const

export const authenticatorSize: Row = {
  name: 'authenticator-size',
  title: 'The authenticator on the wire',
  work:
    'The bytes of the script that a phone loads when it first opens the authenticator of `second-factor serve`, ' +
    'for a browser that accepts Brotli, for one that accepts gzip, and for one that accepts neither. There is no peer.',
  columns: [{ key: 'size', title: 'kB', unit: 'kB' }],
  chart: 'size',
  lowerIsBetter: true,
  async measure(run) {
    const database = sqliteFile(run.folder, 'size')
    await command(['init', '--database', database])
    const service = await serve(database)
    const page = new URL('/authenticator/', service.origin)
    const html = await (await fetch(page)).text()
    const scripts = [...html.matchAll(/<script[^>]*\ssrc="([^"]+)"/g)].map(([, src = '']) => new URL(src, page))
    if (scripts.length === 0) throw new Error('the page of the authenticator has no script')
    const sizes: number[] = []
    for (const encoding of encodings) {
      let size = 0
      for (const script of scripts) size += await sizeOf(script, encoding)
      sizes.push(size / 1024)
    }
    await service.stop()
    const names = ['Brotli', 'gzip', 'not compressed']
    return {
      lines: sizes.map((size, index) => ({ name: names[index] ?? '', ours: true, values: { size: [size] } })),
      goals: [
        {
          figure: 'the script of the authenticator',
          value: sizes[0] ?? Number.NaN,
          reach: 50,
          atMost: true,
          unit: 'kB',
        },
      ],
      findings: [`With Brotli, the script takes ${figure(sizes[0] ?? Number.NaN)} kB.`],
    }
  },
}

function sizeOf(url: URL, encoding: string): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url, { headers: { 'accept-encoding': encoding } }, (response) => {
      let size = 0
      response.on('data', (chunk: Buffer) => (size += chunk.length)).on('end', () => resolve(size))
    }).on('error', reject)
  })
}

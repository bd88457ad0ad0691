import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { root } from '../../scripts/run.ts'
import { sharedChromium } from '../support/shared-chromium.ts'

const chromium = await sharedChromium()
const folder = join(root, 'reports', 'pictures')
mkdirSync(folder, { recursive: true })

/** The pictures of one state, by variant. */
export type Shots = Map<string, Buffer>

/** How many states a sheet shows, so that each can be made out. */
const statesOfSheet = 4

/** Draws sheets with a line for each state and a column for each variant. */
export async function drawSheets(
  name: string,
  states: ReadonlyMap<string, Shots>,
  columns: readonly string[],
): Promise<void> {
  const all = [...states]
  for (let start = 0; start < all.length; start += statesOfSheet) {
    const number = String(start / statesOfSheet + 1).padStart(2, '0')
    await drawSheet(`${name} ${number}`, all.slice(start, start + statesOfSheet), columns)
  }
}

async function drawSheet(
  name: string,
  states: Iterable<readonly [string, ReadonlyMap<string, Buffer>]>,
  columns: readonly string[],
): Promise<void> {
  const cell = (shot: Buffer | undefined) =>
    shot ? `<td><img src="data:image/png;base64,${shot.toString('base64')}">` : '<td>'
  const lines = Array.from(
    states,
    ([state, shots]) => `<tr><th>${state}${columns.map((variant) => cell(shots.get(variant))).join('')}`,
  )
  const sheet = await chromium.newPage({ viewport: { width: 2000, height: 1000 } })
  await sheet.setContent(
    `<meta charset="utf-8"><style>body{margin:0;font:16px system-ui;background:#888}img{height:420px}th{width:120px}td{vertical-align:top}</style>
     <table><tr><th>${columns.map((variant) => `<th>${variant}`).join('')}${lines.join('')}</table>`,
  )
  writeFileSync(join(folder, `${name}.png`), await sheet.screenshot({ fullPage: true }))
  await sheet.close()
}

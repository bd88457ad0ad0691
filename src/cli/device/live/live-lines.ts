import type { styleText } from 'node:util'

import { asksFor } from '../../../device/account.ts'
import type { Pending } from '../pending.ts'
import { printable } from '../../../device/printable.ts'
import { accountName, pinWord } from '../print.ts'
import type { LiveState } from './live-state.ts'

type Style = Parameters<typeof styleText>[0]

/** Where it is drawn. */
export interface Paper {
  /** Unix time by this machine's clock, seconds. */
  readonly now: number
  /** Columns. */
  readonly width: number
  /** Leaves the text as it is where there is no colour. */
  readonly paint: (style: Style, text: string) => string
}

/** The live list, line by line. */
export function linesOf(state: LiveState, paper: Paper): string[] {
  const rows = state.rows.flatMap((pending) =>
    rowOf(pending, pending.request.id === state.selected && pending, paper).map((line) => fit(line, paper.width)),
  )
  const empty = 'Nothing to approve. Requests appear here by themselves.'
  return [
    ...(rows.length > 0 ? rows : [fit(empty, paper.width)]),
    '',
    ...(state.notice === '' ? [] : [fit(state.notice, paper.width)]),
    prompt(state, paper),
  ].map((line, index) => (index < rows.length && line.startsWith('>') ? paper.paint('bold', line) : line))
}

/** The selected one with all that helps to decide, the others in a line. */
function rowOf({ account, request }: Pending, selected: Pending | false, { now }: Paper): string[] {
  const left = Math.max(0, request.expiresAt - now - account.clockOffset)
  const change = request.purpose === 'change_devices' ? 'Change your devices?   ' : ''
  const head = `${selected ? '>' : ' '} ${change}${accountName(account)}   ${left} s left   ${request.id.slice(0, 12)}`
  if (!selected) return [head]
  const facts = [
    ...(request.ipAddress === undefined ? [] : [`from ${printable(request.ipAddress)} (reported by the app)`]),
    ...request.attributes.map(({ key, value }) => `${printable(key)}: ${printable(value)}`),
  ]
  return [head, ...facts.map((fact) => `    ${fact}`)]
}

function prompt({ rows, selected, mode }: LiveState, { paint }: Paper): string {
  const pending = rows.find(({ request }) => request.id === selected)
  if (mode.name === 'number') return `Number shown on the web page: ${mode.typed}${paint('dim', '  Enter, Esc')}`
  if (mode.name === 'pin') {
    const word = pinWord[(pending && asksFor(pending.account)) ?? 'PIN']
    return `Your ${word}: ${'•'.repeat(Array.from(mode.typed).length)}${paint('dim', '  Enter, Esc')}`
  }
  if (mode.name === 'report') return 'Report that this was not you? Requests then stop for 15 minutes. y / n'
  if (mode.name === 'sending') return 'Sending …'
  const keys = pending ? 'a approve   d deny   r this was not me   ' : ''
  const choosing = rows.length > (pending ? 1 : 0)
  return paint('dim', `${keys}${choosing ? 'arrows choose   ' : ''}q quit`)
}

/** A line that is wrapped would be two, and the list would be drawn over itself. */
function fit(line: string, width: number): string {
  const characters = Array.from(line)
  const columns = (count: number) =>
    characters.slice(0, count).reduce((sum, character) => sum + columnsOf(character), 0)
  if (columns(characters.length) <= width) return line
  let kept = Math.min(characters.length, width)
  while (columns(kept) > width - 1) kept -= 1
  return `${characters.slice(0, kept).join('')}…`
}

/** At most: from Hangul on, characters and emoji take two where they are wide. */
const columnsOf = (character: string) => ((character.codePointAt(0) ?? 0) < 0x11_00 || character === '…' ? 1 : 2)

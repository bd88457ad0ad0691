import { describe, expect, it } from 'vitest'

import { linesOf } from '../../../src/cli/device/live/live-lines.ts'
import { createScreen } from '../../../src/cli/device/live/live-screen.ts'
import { emptyState, press, withRows } from '../../../src/cli/device/live/live-state.ts'
import type { Key, LiveState } from '../../../src/cli/device/live/live-state.ts'
import type { Pending } from '../../../src/cli/device/pending.ts'

const now = 1_000

function pending(id: string, more: { number?: boolean; keyType?: 'PIN'; text?: string } = {}): Pending {
  const domain = { id: 'd'.repeat(40), name: 'Wiki', keyType: more.keyType ?? ('NONE' as const) }
  const account = {
    id: 'a'.repeat(40),
    service: '5'.repeat(40),
    serviceUrl: 'https://mfa.example',
    organization: { name: 'Acme' },
    domain,
    user: { username: 'alice' },
    privateKey: {} as CryptoKey,
    clockOffset: 0,
  }
  const request = {
    id: id.repeat(40),
    nonce: 'n',
    domain,
    user: { username: 'alice' },
    attributes: [{ key: 'Browser', value: more.text ?? 'Firefox' }],
    numberLength: more.number ? 2 : 0,
    createdAt: now - 5,
    expiresAt: now + 85,
  }
  return { account, request }
}

const keys = (text: string): Key[] => Array.from(text, (sequence) => ({ sequence, name: sequence.toLowerCase() }))
const enter: Key = { name: 'return', sequence: '\r' }

/** What a person sees and sends who types that. */
function typed(start: LiveState, ...pressed: Key[]) {
  let state = start
  const actions = []
  for (const key of pressed) {
    const step = press(state, key)
    state = step.state
    if (step.action) actions.push(step.action)
  }
  return { state, actions }
}

const listOf = (...rows: Pending[]) =>
  rows.reduceRight((state, _row, index) => withRows(state, rows.slice(index)), emptyState)
const shown = (state: LiveState, width = 79) => linesOf(state, { now, width, paint: (_style, text) => text })

describe('the live list', () => {
  it('says that nothing waits, and what to press', () => {
    expect(shown(emptyState)).toEqual(['Nothing to approve. Requests appear here by themselves.', '', 'q quit'])
  })

  it('shows what helps to decide, and the time left', () => {
    expect(shown(listOf(pending('1')))).toEqual([
      '> alice at Wiki (Acme)   85 s left   111111111111',
      '    Browser: Firefox',
      '',
      'a approve   d deny   r this was not me   q quit',
    ])
  })

  it('approves by one key what needs nothing typed', () => {
    const { actions } = typed(listOf(pending('1')), ...keys('a'))

    expect(actions).toMatchObject([{ do: 'answer', decision: 'approve', pending: { request: { id: '1'.repeat(40) } } }])
  })

  it('asks for the number, then the PIN, which is not shown', () => {
    const start = listOf(pending('1', { number: true, keyType: 'PIN' }))

    const atPin = typed(start, ...keys('a'), ...keys('47'), enter, ...keys('40719'), { name: 'backspace' })
    const { actions } = typed(atPin.state, enter)

    expect(shown(atPin.state).at(-1)).toBe('Your PIN: ••••  Enter, Esc')
    expect(actions).toMatchObject([{ decision: 'approve', number: '47', pin: '4071' }])
  })

  it('takes digits only for a number, and goes back with Esc', () => {
    const start = listOf(pending('1', { number: true }))

    const typing = typed(start, ...keys('a'), ...keys('4x7\u0000'))

    expect(shown(typing.state).at(-1)).toBe('Number shown on the web page: 47  Enter, Esc')
    expect(typed(typing.state, { name: 'escape' }).state.mode.name).toBe('list')
  })

  it('reports only after a second key', () => {
    const asked = typed(listOf(pending('1')), ...keys('r'))

    expect(asked.actions).toEqual([])
    expect(typed(asked.state, ...keys('n')).actions).toEqual([])
    expect(typed(asked.state, ...keys('y')).actions).toMatchObject([{ decision: 'report' }])
  })

  it('stays on the request that was chosen when another one arrives', () => {
    const [first, second] = [pending('1'), pending('2')]

    const { actions } = typed(withRows(listOf(first), [second, first]), ...keys('d'))

    expect(actions).toMatchObject([{ decision: 'deny', pending: { request: { id: first.request.id } } }])
  })

  it('lets a key that was meant for a request that is gone meet no other one', () => {
    const [first, second] = [pending('1', { number: true }), pending('2', { number: true })]
    const typing = typed(withRows(listOf(first), [second, first]), ...keys('a'), ...keys('4')).state

    const gone = withRows(typing, [second])
    const { actions, state } = typed(gone, ...keys('7'), enter, ...keys('adr'))

    expect(actions).toEqual([])
    expect(shown(gone)).toContain('The request is gone.')
    expect(gone.mode).toEqual({ name: 'list' })
    expect(typed(state, { name: 'down' }, ...keys('d')).actions).toMatchObject([
      { pending: { request: { id: second.request.id } } },
    ])
  })

  it('takes no further key while an answer is on its way', () => {
    const { actions } = typed(listOf(pending('1')), ...keys('aad'))

    expect(actions.length).toBe(1)
  })

  it('ends with q and with Ctrl+C, the latter whatever is being typed', () => {
    const start = listOf(pending('1', { keyType: 'PIN' }))

    expect(typed(start, ...keys('q')).actions).toEqual([{ do: 'quit' }])
    expect(typed(start, ...keys('a'), { name: 'c', ctrl: true }).actions).toEqual([{ do: 'quit' }])
  })

  it('lets no text of others move the cursor, and no line be longer than the terminal is wide', () => {
    const lines = shown(listOf(pending('1', { text: `\u001b[2J\u202e${'x'.repeat(200)}` })), 40)

    for (const character of ['\u001b', '\u202e']) expect(lines.join('')).not.toContain(character)
    expect(Math.max(...lines.slice(0, 2).map((line) => Array.from(line).length))).toBe(40)
  })

  it.each(['入', '🔒', 'ｗ', '한'])(
    'counts %s as the two columns it takes: lines that wrap would hide others',
    (wide) => {
      const lines = shown(listOf(pending('1', { text: wide.repeat(200) })), 40)

      const [, , fact = ''] = /^( {4}Browser: )(.*)…$/.exec(lines[1]!) ?? []
      expect(13 + Array.from(fact).length * 2 + 1).toBeLessThanOrEqual(40)
      expect(fact).toContain(wide)
    },
  )

  it('lets no address that a service makes up move the cursor', () => {
    const one = pending('1')

    const lines = shown(listOf({ ...one, request: { ...one.request, ipAddress: '\u001b[2J10.0.0.1' } }))

    expect(lines.join('')).not.toContain('\u001b')
  })
})

describe('the screen', () => {
  it('draws the list over itself, below the lines that stay', () => {
    let text = ''
    const screen = createScreen({ columns: 80, write: (more) => void (text += more) })

    screen.draw(['one', 'two'])
    screen.note('stays')
    screen.draw(['three'])

    expect(text).toBe('\r\u001b[Jone\ntwo\n\u001b[2A\r\u001b[Jstays\n\r\u001b[Jthree\n')
  })
})

import { emitKeypressEvents } from 'node:readline'
import { styleText } from 'node:util'

import { type Clock, systemClock } from '../../../clock.ts'
import type { DeviceRequest } from '../../../contract/device.ts'
import type { Account } from '../../../device/account.ts'
import type { Device } from '../../../device/device.ts'
import { isGone } from '../../../device/device-error.ts'
import { triesUsedUp } from '../approve.ts'
import { otherwise, words } from '../answer.ts'
import { explain, Failure } from '../failure.ts'
import { printable } from '../../../device/printable.ts'
import { eachNotice, noticeLine } from '../notices.ts'
import { accountName } from '../print.ts'
import type { Pending } from '../pending.ts'
import { linesOf } from './live-lines.ts'
import { createScreen } from './live-screen.ts'
import { emptyState, press, withRows } from './live-state.ts'
import type { Action, Key, LiveState } from './live-state.ts'

export interface LiveSettings {
  readonly signal: AbortSignal
  readonly clock?: Clock
  readonly input?: NodeJS.ReadStream
  readonly output?: NodeJS.WriteStream
}

/** A list of what waits, redrawn as it changes, with keys to answer; until `signal` aborts or the person has enough. */
export async function liveWatch(device: Device, accounts: readonly Account[], settings: LiveSettings): Promise<void> {
  const { clock = systemClock, input = process.stdin, output = process.stdout } = settings
  const quit = new AbortController()
  const signal = AbortSignal.any([settings.signal, quit.signal])
  const screen = createScreen(output)
  const byAccount = new Map<Account, readonly DeviceRequest[]>()
  const paint: Parameters<typeof linesOf>[1]['paint'] = (style, text) => styleText(style, text, { stream: output })
  let state: LiveState = emptyState

  const draw = () => screen.draw(linesOf(state, { now: clock.now(), width: screen.width(), paint }))
  const show = (next: LiveState) => {
    state = next
    if (!signal.aborted) draw()
  }
  const note = (line: string) => {
    screen.note(printable(line))
    draw()
  }
  const changed = (account: Account, requests: readonly DeviceRequest[]) => {
    byAccount.set(account, requests)
    show(withRows(state, rowsOf(byAccount)))
  }

  async function act(action: Action): Promise<void> {
    if (action.do === 'quit') return quit.abort()
    const notice = await answer(device, action)
    show({ ...state, mode: { name: 'list' }, notice })
  }

  async function follow(account: Account): Promise<void> {
    const tell = (text: string) => note(`${accountName(account)}: ${text}`)
    try {
      await device.watch(account, {
        signal,
        onChange: (requests) => changed(account, requests),
        onNotices: eachNotice(account, (shown) => {
          note(noticeLine(shown))
          // Somebody sits here and has seen it. Where this fails, it is shown again the next time.
          void device.acknowledge(account, shown.notice).catch(() => undefined)
        }),
        onTrouble: (error) => tell(`${explain(error)} Still trying.`),
        onReached: () => tell('back.'),
      })
    } catch (error) {
      changed(account, [])
      tell(explain(error))
      throw error
    }
  }

  const stopKeys = listen(input, (key) => {
    const step = press(state, key)
    show(step.state)
    if (step.action) void act(step.action)
  })
  const stopTicking = everySecond(clock, draw)
  for (const account of accounts) note(`Waiting for requests: ${accountName(account)}`)
  try {
    const results = await Promise.allSettled(accounts.map((account) => follow(account)))
    if (results.every(({ status }) => status === 'rejected')) throw new Failure('No account is left to watch.')
  } finally {
    stopTicking()
    stopKeys()
    screen.end()
  }
}

function rowsOf(byAccount: ReadonlyMap<Account, readonly DeviceRequest[]>): Pending[] {
  return [...byAccount]
    .flatMap(([account, requests]) => requests.map((request) => ({ account, request })))
    .sort((a, b) => b.request.createdAt - a.request.createdAt)
}

/** @returns what to say of it. One that ends badly does not end the watch. */
async function answer(device: Device, action: Extract<Action, { do: 'answer' }>): Promise<string> {
  const { pending, decision, number, pin } = action
  const { account, request } = pending
  try {
    const answered = await device.answer(account, request, { decision, number, pin })
    const wanted = decision === 'approve' ? 'approved' : 'denied'
    return answered.state === wanted ? `${words[decision].trim()}  ${accountName(account)}` : otherwise(answered)
  } catch (error) {
    return pin !== undefined && isGone(error) ? triesUsedUp : explain(error)
  }
}

/** Each key as it is pressed, without Enter; the terminal is given back as it was. */
function listen(input: NodeJS.ReadStream, onKey: (key: Key) => void): () => void {
  const heard = (_text: string | undefined, key: Key) => onKey(key)
  emitKeypressEvents(input)
  input.setRawMode(true)
  input.resume()
  input.on('keypress', heard)
  return () => {
    input.off('keypress', heard)
    input.setRawMode(false)
    input.pause()
  }
}

function everySecond(clock: Clock, act: () => void): () => void {
  let cancel = clock.after(1000, tick)
  function tick(): void {
    cancel = clock.after(1000, tick)
    act()
  }
  return () => cancel()
}

import type { Decision } from '../../../contract/device.ts'
import { asksFor } from '../../../device/account.ts'
import type { Pending } from '../pending.ts'

/** What the live list shows, and what is being typed. */
export interface LiveState {
  /** Newest first. */
  readonly rows: readonly Pending[]
  /** Id of the request that keys are about. */
  readonly selected: string | undefined
  readonly mode: Mode
  /** What happened last. */
  readonly notice: string
}

export type Mode =
  | { readonly name: 'list' }
  | { readonly name: 'report' }
  | { readonly name: 'sending' }
  | { readonly name: 'number'; readonly typed: string }
  | { readonly name: 'pin'; readonly typed: string; readonly number: string | undefined }

export interface Key {
  /** Such as `return`, `up` or a letter. */
  readonly name?: string | undefined
  readonly ctrl?: boolean | undefined
  readonly sequence?: string | undefined
}

/** What a key asks to be done. */
export type Action =
  | { readonly do: 'quit' }
  | {
      readonly do: 'answer'
      readonly pending: Pending
      readonly decision: Decision
      readonly number?: string | undefined
      readonly pin?: string | undefined
    }

export interface Step {
  readonly state: LiveState
  readonly action?: Action
}

export const emptyState: LiveState = { rows: [], selected: undefined, mode: { name: 'list' }, notice: '' }

const list = { name: 'list' } as const

/**
 * The list as it is now. Keys that were meant for a request that is gone meet no other one: what was being typed is
 * dropped, and which one is meant has to be said anew. Only what comes alone into an empty list is meant by itself.
 */
export function withRows(state: LiveState, rows: readonly Pending[]): LiveState {
  const present = rows.some(({ request }) => request.id === state.selected)
  if (present) return { ...state, rows }
  const typing = state.mode.name !== 'list' && state.mode.name !== 'sending'
  const alone = state.rows.length === 0 && rows.length === 1
  return {
    rows,
    selected: alone ? rows[0]?.request.id : undefined,
    mode: typing ? list : state.mode,
    notice: typing ? 'The request is gone.' : state.notice,
  }
}

/** What a key does. */
export function press(state: LiveState, key: Key): Step {
  if (key.ctrl && (key.name === 'c' || key.name === 'd')) return { state, action: { do: 'quit' } }
  const pending = state.rows.find(({ request }) => request.id === state.selected)
  if (state.mode.name === 'sending') return { state }
  if (state.mode.name === 'list') return pressInList(state, pending, key)
  if (key.name === 'escape' || !pending) return { state: { ...state, mode: list } }
  if (state.mode.name === 'report') return confirmReport(state, pending, key)
  return type(state, state.mode, pending, key)
}

function pressInList(state: LiveState, pending: Pending | undefined, { name }: Key): Step {
  if (name === 'q') return { state, action: { do: 'quit' } }
  if (name === 'down' || name === 'j') return { state: move(state, 1) }
  if (name === 'up' || name === 'k') return { state: move(state, -1) }
  if (!pending) return { state }
  if (name === 'a') return approve(state, pending, undefined)
  if (name === 'd') return send(state, { do: 'answer', pending, decision: 'deny' })
  if (name === 'r') return { state: { ...state, mode: { name: 'report' } } }
  return { state }
}

function move(state: LiveState, by: 1 | -1): LiveState {
  const index = state.rows.findIndex(({ request }) => request.id === state.selected)
  const last = state.rows.length - 1
  const next = state.rows[index === -1 ? (by === 1 ? 0 : last) : Math.max(0, Math.min(last, index + by))]
  return { ...state, selected: next?.request.id, notice: '' }
}

/** Asks for what is still missing; the number first, as the PIN is asked for last, right before it is used. */
function approve(state: LiveState, pending: Pending, number: string | undefined): Step {
  if (pending.request.numberLength > 0 && number === undefined)
    return { state: { ...state, notice: '', mode: { name: 'number', typed: '' } } }
  if (asksFor(pending.account)) return { state: { ...state, notice: '', mode: { name: 'pin', typed: '', number } } }
  return send(state, { do: 'answer', pending, decision: 'approve', number })
}

function type(state: LiveState, mode: Extract<Mode, { typed: string }>, pending: Pending, key: Key): Step {
  if (key.name === 'return' || key.name === 'enter') {
    if (mode.typed === '') return { state }
    if (mode.name === 'number') return approve(state, pending, mode.typed)
    return send(state, { do: 'answer', pending, decision: 'approve', number: mode.number, pin: mode.typed })
  }
  return { state: { ...state, mode: { ...mode, typed: edited(mode, key) } } }
}

function edited({ name, typed }: Extract<Mode, { typed: string }>, key: Key): string {
  if (key.name === 'backspace') return Array.from(typed).slice(0, -1).join('')
  const allowed = name === 'number' ? /^[0-9]$/ : /^[^\p{Cc}]$/u
  return !key.ctrl && allowed.test(key.sequence ?? '') && typed.length < 64 ? typed + key.sequence : typed
}

/** Nothing is pushed for a while after it: not by a slip of the finger. */
function confirmReport(state: LiveState, pending: Pending, { name }: Key): Step {
  if (name === 'y') return send(state, { do: 'answer', pending, decision: 'report' })
  return { state: name === 'n' ? { ...state, mode: list } : state }
}

const send = (state: LiveState, action: Action): Step => ({ state: { ...state, mode: { name: 'sending' } }, action })

import type { Carried } from '../../challenge/challenge.ts'
import { Id } from '../../contract/text.ts'
import { DeviceName } from '../../contract/tokens.ts'
import type { WebRequest } from '../request/web-request.ts'

const isName = (value: string) => DeviceName.safeParse(value).success
const isId = (value: string) => Id.safeParse(value).success
const isWord = (value: string) => /^[a-z]{1,16}$/.test(value)

/** The forms that are carried over a confirmation, and what is kept of them: ids, names and choices, never a code or a secret. */
const carriable: Readonly<Record<Carried['path'], Readonly<Record<string, (value: string) => boolean>>>> = {
  '/devices/remove': { what: isWord },
  '/devices/name': { name: isName },
  '/devices/passkey/name': { passkey: isId, name: isName },
  '/devices/passkey/remove': { passkey: isId },
  '/devices/device': {},
  '/devices/device/cancel': {},
  '/devices/forget': { browser: isId },
  '/devices/sessions': {},
  '/devices/codes': { again: isWord },
}

/** The form that a confirmation interrupts; undefined for every other request, and for the routes of the app. */
export function carriedForm({ req, context, form, carried }: WebRequest): Carried | undefined {
  // A form that meets a second confirmation is still the same one.
  if (carried) return carried
  if (req.method !== 'POST') return undefined
  const path = req.path.slice(context.mfa.options.path.length)
  if (!isCarriable(path)) return undefined
  const fields = Object.entries(carriable[path]).flatMap(([name, isKept]) => {
    const value = form[name]
    return typeof value === 'string' && isKept(value) ? [[name, value] as const] : []
  })
  return { path, fields: Object.fromEntries(fields), askedAt: context.mfa.options.clock.now() }
}

const isCarriable = (path: string): path is Carried['path'] => Object.hasOwn(carriable, path)

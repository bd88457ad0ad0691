import type { OwnFactors } from '../../challenge/own-factors.ts'
import { isHandedOver, isLast, isLastPasskey, pendingCode } from '../../challenge/own-factors.ts'
import { maxBypassCodes } from '../../contract/bypass-codes.ts'
import type { ListedBrowser } from '../../contract/browsers.ts'
import { formatAgo, formatDuration } from '../../contract/format-duration.ts'
import { maxPasskeys } from '../../contract/passkeys.ts'
import { latinDigits } from '../../contract/languages.ts'
import type { ConnectedService } from '../../challenge/service.ts'
import { relyingPartyOf } from '../request/passkeys.ts'
import type { Page } from '../request/outcome.ts'
import type { WebRequest } from '../request/web-request.ts'
import { layoutOf, page } from './layout.ts'
import { placeViews } from './sent-places.ts'

type Layout = ReturnType<typeof layoutOf>

interface OverviewInput {
  readonly ownFactors: OwnFactors
  readonly browsers: readonly ListedBrowser[]
  readonly service: ConnectedService
  /** The token of its forms. */
  readonly token: string
}

/** All factors of the user. */
export function overviewPage(request: WebRequest, { ownFactors, browsers, service, token }: OverviewInput): Page {
  const { context, query } = request
  const layout = layoutOf(request)
  const { words } = layout
  const { factors, remember, clock } = context.mfa.options
  const { device } = ownFactors.token ?? {}
  const rpId = relyingPartyOf(request)?.id
  const facts = createFacts(layout, clock.now())
  return page(200, 'overview', {
    ...layout,
    token,
    headline: words.devices.headline,
    said: saidOf(words.devices.done, query.get('done')),
    changes: service.managesFactors,
    remembers: remember !== false || browsers.length > 0,
    device: ownFactors.token?.state === 'active' ? { name: device?.name, facts: facts.of(device ?? {}) } : undefined,
    lastDevice: isLast(ownFactors, 'device', rpId),
    lastHardware: isLast(ownFactors, 'hardware', rpId),
    handedOver: isHandedOver(ownFactors),
    pending: pendingOf(layout, pendingCode(ownFactors), clock.now()),
    passkeys: factors.includes('passkey') ? passkeysOf(rpId, ownFactors, layout, facts) : undefined,
    ...signalOf(request, ownFactors, rpId),
    hardware: ownFactors.hardware && {
      ...ownFactors.hardware,
      // A hardware token may have belonged to the organization, or to another user, for years.
      facts: facts.of(
        ownFactors.hardware.selfEnrolled ? ownFactors.hardware : { lastUsedAt: ownFactors.hardware.lastUsedAt },
      ),
    },
    codes: factors.includes('bypass') ? codesOf(layout, ownFactors) : undefined,
    places: ownFactors.places.flatMap(({ factor, place }) =>
      factors.includes(factor) && place !== ''
        ? [{ factor, place, title: words.devices[factor].title, icon: placeViews[factor].icon }]
        : [],
    ),
    browsers: browsers.map((browser) => ({
      ...browser,
      name: browser.name ?? words.devices.browsers.unnamed,
      facts: facts.ofBrowser(browser),
    })),
    home: `${context.prefix}/`,
  })
}

/** The passkeys, those of other apps without their forms; undefined where there can be none. */
function passkeysOf(rpId: string | undefined, ownFactors: OwnFactors, { words }: Layout, facts: Facts) {
  if (!ownFactors.passkeys || rpId === undefined) return undefined
  const w = words.devices.passkeys
  const rows = ownFactors.passkeys.map((passkey) => ({
    ...passkey,
    isHere: passkey.rpId === rpId,
    isLast: isLastPasskey(ownFactors, passkey),
    facts: [
      ...(passkey.rpId === rpId ? [] : [{ text: w.site(passkey.rpId) }]),
      { text: passkey.synced ? w.synced : w.thisDevice },
      ...facts.of(passkey),
    ],
  }))
  return { shown: rows, isFull: ownFactors.passkeys.length >= maxPasskeys }
}

/** The facts for password managers after a change (WebAuthn Level 3 section 5.1.10, signal methods). */
function signalOf({ query, user }: WebRequest, { userId, passkeys }: OwnFactors, rpId: string | undefined) {
  if (!passkeys || rpId === undefined || !query.has('done')) return {}
  const id = Buffer.from(userId, 'hex').toString('base64url')
  const accepted = passkeys.flatMap((passkey) => (passkey.rpId === rpId ? [passkey.credentialId] : []))
  const name = user.username ?? user.name ?? ''
  const signal = JSON.stringify({
    accepted: { rpId, userId: id, allAcceptedCredentialIds: accepted },
    details: { rpId, userId: id, name, displayName: user.name ?? name },
  })
  return { signal, usesPasskeys: true }
}

type Facts = ReturnType<typeof createFacts>

/** A line about a factor. */
interface Fact {
  readonly text: string
  readonly place?: string | undefined
}

interface Times {
  readonly createdAt?: number | undefined
  readonly lastUsedAt?: number | undefined
  readonly lastUsedPlace?: string | undefined
}

function createFacts({ words: { devices }, language: { tag } }: Layout, now: number) {
  const day = (time: number) =>
    new Intl.DateTimeFormat(tag, { ...latinDigits, dateStyle: 'medium' }).format(time * 1000)
  const whenKnown = (time: number | undefined, tell: (time: number) => Fact): Fact[] =>
    time === undefined ? [] : [tell(time)]
  return {
    of: ({ createdAt, lastUsedAt, lastUsedPlace: place }: Times): Fact[] => [
      ...whenKnown(lastUsedAt, (time) => ({
        text: devices.lastUsed(formatAgo(tag, Math.max(0, now - time)) ?? day(time)),
        place,
      })),
      ...whenKnown(createdAt, (time) => ({ text: devices.since(day(time)) })),
    ],
    /** The service knows the day of the last use. */
    ofBrowser: ({ current, knownSince, lastUsedAt, rememberedUntil, keptUntil, place }: ListedBrowser): Fact[] => [
      ...(current ? [] : [{ text: devices.lastUsed(day(lastUsedAt)) }]),
      ...whenKnown(knownSince, (time) => ({ text: devices.since(day(time)), place })),
      ...whenKnown(keptUntil, (time) => ({ text: devices.browsers.kept(day(time)) })),
      ...whenKnown(rememberedUntil, (time) => ({ text: devices.browsers.until(day(time)) })),
    ],
  }
}

function codesOf({ words, language }: Layout, { recoveryCodes: remaining, hadRecoveryCodes: had }: OwnFactors) {
  if (remaining === undefined) return undefined
  const { codes } = words.devices
  const [count, maximum] = [remaining, maxBypassCodes].map((value) =>
    new Intl.NumberFormat(language.tag, latinDigits).format(value),
  )
  if (remaining > 0) return { had, any: true, left: codes.left(count ?? '', maximum ?? '') }
  return { had, any: false, left: had ? codes.none : codes.never }
}

/** How long the code for another device is still valid. */
function pendingOf({ words, language }: Layout, code: { readonly expiresAt: number } | undefined, now: number) {
  return code && words.devices.device.pending(formatDuration(language.tag, Math.max(1, code.expiresAt - now)))
}

/** The text for what was just done. The address names it, and may contain anything, so only known names count. */
function saidOf(done: Readonly<Record<string, string>>, name: unknown): string | undefined {
  return typeof name === 'string' && Object.hasOwn(done, name) ? done[name] : undefined
}

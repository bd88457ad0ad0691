import { isStrong, placeOf, sentFactors } from '../../contract/factor-descriptions.ts'
import { codesPause } from '../../challenge/pauses.ts'
import { latinDigits } from '../../contract/languages.ts'
import { canPush, hasOnlyDevice } from './code-view.ts'
import { placeViews } from './sent-places.ts'
import type { StatusPage } from './status-view.ts'

/** One way to pass: a link, a button, or only words. */
interface Way {
  readonly title: string
  /** Follows the title; a name of its own, whatever the direction of the text. */
  readonly address?: string
  readonly after?: string
  readonly sentence?: string | undefined
  /** The path below the challenge path in the link. */
  readonly link?: string
  /** The path that the button posts to, below the challenge path. */
  readonly action?: string
}

/** The ways other than the device that this user has and that work now. */
export function otherWaysView(page: StatusPage) {
  const { layout, status, challenge, pauses } = page
  const isPaused = codesPause(pauses, challenge, page) !== undefined
  return {
    ...layout,
    live: status.kind === 'waiting',
    typing: true,
    headline: layout.otherWays,
    ways: [...requestWays(page), ...(isPaused ? [] : codeWays(page))],
    ...administrator(page, isPaused),
    canPush: status.kind !== 'passkey' && canPush(page),
  }
}

/** Where nothing waits for the user yet, the device is one more way. */
function requestWays(page: StatusPage): readonly Way[] {
  const { layout, status, passkey } = page
  const { ways } = layout.words
  if (status.kind !== 'passkey') return passkey ? [{ title: ways.passkey, link: '?use=passkey' }] : []
  return canPush(page) ? [{ title: ways.push, action: 'send' }] : []
}

function codeWays(page: StatusPage): readonly Way[] {
  const { layout, service, availableCodes } = page
  const { ways } = layout.words
  if (!service.knowsFactors) {
    // The service does not say which codes a user has: one field takes them all.
    const hasCodes = availableCodes.some(isStrong)
    return [...(hasCodes ? [{ ...ways.otp, link: '?use=code' }] : []), ...sentWays(page)]
  }
  return [
    ...(availableCodes.includes('otp') ? generatorWays(page) : []),
    ...(availableCodes.includes('bypass') ? [{ title: recoveryTitle(page), link: '?use=bypass' }] : []),
    ...sentWays(page),
  ]
}

function generatorWays(page: StatusPage): readonly Way[] {
  const { device, otp } = page.layout.words.ways
  const hasDevice = page.member?.factors?.includes('push')
  return [
    ...(hasDevice ? [{ ...device, link: '?use=otp' }] : []),
    ...(hasOnlyDevice(page) ? [] : [{ ...otp, link: '?use=otp' }]),
  ]
}

function recoveryTitle({ layout, member }: StatusPage): string {
  const remainingCodes = new Intl.NumberFormat(layout.language.tag, latinDigits).format(member?.bypasscodes.length ?? 0)
  return layout.words.ways.recovery(remainingCodes)
}

function sentWays({ layout, availableCodes, member }: StatusPage): readonly Way[] {
  const { ways, code } = layout.words
  return sentFactors.flatMap((factor): Way[] => {
    if (!availableCodes.includes(factor)) return []
    const place = member ? placeOf(member, factor) : ''
    if (place === '') return [{ title: code[factor].send, action: factor }]
    const [title = '', after = ''] = ways[factor]('{address}').split('{address}')
    return [{ title, address: placeViews[factor].mask(place), after, action: factor }]
  })
}

/** An administrator can give out a recovery code, or end a pause. */
function administrator(page: StatusPage, isPaused: boolean) {
  const { layout, context, challenge, availableCodes, passkeyNeeded, takesHandedOver } = page
  const { ask } = layout.words.ways
  if (takesHandedOver) {
    return {
      ask: { title: ask.title, sentence: isPaused ? ask.unlock : ask[takesHandedOver] },
      enter: isPaused ? undefined : 'handed-over',
    }
  }
  const accepted = [context.mfa.options.factors, challenge.factors ?? (['bypass'] as const)]
  const takesCode = !passkeyNeeded && accepted.every((factors) => factors.includes('bypass'))
  const sentence = takesCode ? ask.code : ask.device
  return {
    ask: { title: ask.title, sentence: isPaused ? ask.unlock : sentence },
    enter: takesCode && !isPaused && !availableCodes.includes('bypass') ? 'bypass' : undefined,
  }
}

import { forSentFactors } from '../../../contract/factor-descriptions.ts'
import { printable } from '../../../ground/printable.ts'
import type { Words } from '../../texts/en.ts'

type EventName = keyof Words['audit']['events']

type Group = 'signIns' | 'methods' | 'people' | 'helpDesk' | 'apps' | 'administrators' | 'service'

/** The part of an event's name before the dot. */
type EventKind = EventName extends `${infer Kind}.${string}` ? Kind : never

const groups: Readonly<Record<EventKind, Group>> = {
  session: 'signIns',
  approval: 'signIns',
  codes: 'signIns',
  push: 'signIns',
  ...forSentFactors((factor) => `${factor}_code` as const, 'signIns'),
  browser: 'signIns',
  browsers: 'signIns',
  token: 'methods',
  activation: 'methods',
  enrollment: 'methods',
  device: 'methods',
  pin: 'methods',
  passkey: 'methods',
  hardware: 'methods',
  bypass: 'methods',
  factors: 'methods',
  user: 'people',
  membership: 'people',
  people: 'people',
  bulk: 'people',
  consent: 'helpDesk',
  caller: 'helpDesk',
  domain: 'apps',
  api_key: 'apps',
  organization: 'apps',
  oidc: 'apps',
  administrator: 'administrators',
  audit: 'service',
  keys: 'service',
  database: 'service',
}

const groupOf = (event: string): Group | undefined =>
  (groups as Readonly<Record<string, Group>>)[event.split('.')[0] ?? '']

/** What the buttons say that lead to an event, so that it is found by what an administrator has pressed. */
const buttons = (words: Words): Readonly<Record<string, string>> => ({
  'user.reset': words.actions.reset.button,
  'user.sessions_ended': words.actions.endSessions.button,
  'user.changed': words.mail.email.button,
  'codes.unlocked': words.actions.unlock.button,
  'push.unlocked': words.actions.unlock.button,
  'token.issued': words.actions.issueToken.button,
  'token.revoked': words.actions.revokeToken.button,
  'enrollment.mailed': words.mail.send.button,
  'enrollment.link_shown': words.mail.link.button,
  'hardware.assigned': words.actions.assignHardware.button,
  'hardware.released': words.actions.releaseHardware.button,
  'hardware.resynchronized': words.stock.resynchronize.button,
  'hardware.imported': words.stock.import.title,
  'hardware.deleted': words.stock.delete,
  'passkey.removed': words.actions.deletePasskey.button,
  'bypass.created': words.actions.createCode.button,
  'bypass.all_deleted': words.actions.deleteCodes.button,
  'membership.removed': words.bulk.actions.remove_member.button,
  'caller.asked': words.caller.verify,
  'consent.requested': words.ask,
  'consent.given': words.giveConsent,
  'consent.denied': words.deny,
  'consent.used': words.carryOut,
  'domain.created': words.apps.add,
  'api_key.created': words.apps.createKey,
  'api_key.revoked': words.apps.revoke,
  'administrator.invited': words.invite,
  'administrator.invitation_withdrawn': words.withdraw,
  'administrator.revoked': words.revoke,
  'administrator.sessions_ended': words.endSessions,
  'audit.verified': words.audit.verify.button,
})

export interface EventGroup {
  readonly title: string
  /** Name and text of each event. */
  readonly events: readonly (readonly [event: string, text: string])[]
}

/** The events of the trail in groups, each with its sentence and with what its button says. */
export function eventGroups(words: Words, locale: string): readonly EventGroup[] {
  const pressed = buttons(words)
  const titles: Readonly<Record<Group, string>> = {
    signIns: words.timeline.kinds.sign_ins,
    methods: words.methods,
    people: words.people,
    helpDesk: words.roles.helpdesk,
    apps: words.apps.title,
    administrators: words.administrators,
    service: words.overview.health,
  }
  const all = Object.entries(words.audit.events).map(([event, sentence]) => {
    const button = pressed[event]
    return [event, button === undefined ? sentence : `${sentence} (${button})`] as const
  })
  return Object.entries(titles).map(([group, title]) => ({
    title,
    events: all
      .filter(([event]) => groupOf(event) === group)
      .toSorted(([, first], [, second]) => first.localeCompare(second, locale)),
  }))
}

/** Folds a text: without case and accents. */
const folded = (text: string): string => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()

/** The events whose sentence, button or name contains each word of a text. */
export function eventsOf(groupsOfEvents: readonly EventGroup[], text: string): readonly string[] {
  const words = folded(text).split(/\s+/u).filter(Boolean)
  return groupsOfEvents
    .flatMap(({ events }) => events)
    .filter(([event, sentence]) => words.every((word) => folded(`${sentence} ${event}`).includes(word)))
    .map(([event]) => printable(event))
}

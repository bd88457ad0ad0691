import type { DomainSettings } from '../../../admin-contract/domains.ts'
import type { Words } from '../../texts/en.ts'

/** The settings that administrators change. */
export type Settings = Omit<DomainSettings, 'id' | 'version'>
export type SettingName = keyof Settings
export type SettingChanges = Partial<Settings>

/** The part of the page that has each setting, in the order of the page. */
const partOf: Readonly<Record<SettingName, keyof Words['apps']['parts']>> = {
  name: 'about',
  type: 'about',
  phishingResistant: 'signIn',
  numberMatching: 'signIn',
  bypassEnabled: 'signIn',
  emailOtpEnabled: 'signIn',
  requestTimeout: 'signIn',
  keyType: 'devices',
  maxAllowedRetries: 'devices',
  activationCodeExpiration: 'devices',
  requestPollingEnabled: 'devices',
}

const names = Object.keys(partOf) as SettingName[]

/** The settings by the parts of the page. */
export const settingParts = [...Map.groupBy(names, (name) => partOf[name])]

/** The settings that differ. */
export const differing = (first: Settings, second: Settings): SettingName[] =>
  names.filter((name) => first[name] !== second[name])

/** The new values of the settings that differ. */
export const changesOf = (before: Settings, now: Settings): SettingChanges =>
  Object.fromEntries(differing(before, now).map((name) => [name, now[name]]))

/** The limits of numbers, as the contract has them. */
export const numberLimits = {
  requestTimeout: [10, 600],
  maxAllowedRetries: [1, 20],
  activationCodeExpiration: [1, 365],
} as const

/** Clients of these kinds cannot use passkeys. */
export const usesPasskeys = ({ type }: Pick<Settings, 'type'>): boolean => type !== 'RADIUS' && type !== 'PAM'

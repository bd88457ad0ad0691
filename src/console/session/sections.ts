import type { AdminRole } from '../../contract/roles.ts'
import { chart, fob, type IconPath, grid, inbox, key, list, people, shield } from '../../ui/icons.ts'
import type { Words } from '../texts/en.ts'

/** A part of the console, as the navigation lists it. */
export interface Section {
  /** The path at which the section starts. */
  readonly path: string
  /** Other paths of the section. */
  readonly below: readonly string[]
  readonly icon: IconPath
  readonly title: (words: Words) => string
  /** The roles whose calls it can make. */
  readonly roles: readonly AdminRole[]
}

const everyone: readonly AdminRole[] = ['owner', 'admin', 'helpdesk', 'auditor']

const sections: readonly Section[] = [
  { path: 'overview', below: [], icon: chart, title: (words) => words.overview.title, roles: everyone },
  { path: 'people', below: ['person', 'job', 'jobs'], icon: people, title: (words) => words.people, roles: everyone },
  { path: 'consents', below: [], icon: inbox, title: (words) => words.consents, roles: everyone },
  { path: 'stock', below: ['import'], icon: fob, title: (words) => words.stock.title, roles: everyone },
  { path: 'apps', below: ['domain'], icon: grid, title: (words) => words.apps.title, roles: everyone },
  {
    path: 'openid',
    below: ['openid-add', 'openid-client'],
    icon: key,
    // The name of the standard is the same in every language.
    title: () => 'OpenID Connect',
    roles: ['owner', 'admin', 'auditor'],
  },
  {
    path: 'audit',
    below: [],
    icon: list,
    title: (words) => words.audit.title,
    roles: ['owner', 'admin', 'auditor'],
  },
  {
    path: 'administrators',
    below: ['administrator', 'invite'],
    icon: shield,
    title: (words) => words.administrators,
    roles: ['owner', 'auditor'],
  },
]

export const sectionsFor = (role: AdminRole): readonly Section[] => sections.filter(({ roles }) => roles.includes(role))

export const isWithin = ({ path, below }: Section, place: string): boolean => [path, ...below].includes(place)

/** The path that opens first. */
export const startFor = (role: AdminRole): string => sectionsFor(role)[0]?.path ?? 'account'

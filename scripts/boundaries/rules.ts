import type { Import, SourceFile } from './source-file.ts'

/** Returns what is wrong with one import of a file, or undefined. */
export type ImportRule = (file: SourceFile, imported: Import) => string | undefined

/** The folders of src/ that a folder may import from, beside itself and `open`. */
const arrows: Readonly<Record<string, readonly string[]>> = {
  ground: [],
  contract: [],
  'admin-contract': ['contract'],
  client: ['contract'],
  challenge: ['contract', 'client'],
  express: ['contract', 'client', 'challenge'],
  passport: ['contract', 'client', 'challenge', 'express'],
  fastify: ['contract', 'client', 'challenge', 'express'],
  service: ['contract', 'admin-contract'],
  device: ['contract'],
  authenticator: ['contract', 'device', 'ui'],
  console: ['contract', 'admin-contract', 'ui'],
  ui: ['contract'],
  browser: ['contract'],
}

/** These join the two halves, so they may import from anywhere. */
const joining = new Set(['cli', 'oidc', 'testing', 'index.ts'])

/** What both halves share and no feature owns, and the handle with which an app has a service: every folder may import them. */
const open = new Set(['ground', 'service-handle.ts'])

/** Packages, and modules of Node, that only some folders may import. `node:` stands for all of Node. */
const places: readonly { readonly what: RegExp; readonly only: RegExp; readonly why: string }[] = [
  {
    what: /^(?!\.|zod(\/|$))/,
    only: /^src\/(?!(admin-)?contract\/)/,
    why: 'the contract is data: it imports zod and itself',
  },
  {
    what: /^node:/,
    only: /^src\/(?!((?:admin-)?contract|device|authenticator|browser|console|ui)\/)/,
    why: 'this folder runs in browsers',
  },
  {
    what: /^(express|express-session|cookie-session|node:https?)$/,
    only: /^src\/(express|passport|fastify|oidc|service|cli|testing)\/|^src\/service-handle\.ts$/,
    why: 'only the outer folders use req and res',
  },
  {
    what: /^(express|kysely|better-sqlite3|pg|node:https?)$/,
    only: /^src\/(?!service\/features\/[^/]+\/([\w-]+-)?rules\.ts)/,
    why: 'the rules of a feature use neither HTTP nor SQL',
  },
  {
    what: /^(kysely|better-sqlite3|pg)(\/|$)/,
    only: /^src\/service\//,
    why: 'only the service uses databases',
  },
  {
    what: /^passport(-|$)/,
    only: /^src\/passport\//,
    why: 'only passport/ uses Passport',
  },
  {
    what: /^fastify(\/|$)/,
    only: /^src\/fastify\//,
    why: 'only fastify/ uses Fastify',
  },
  {
    what: /^preact(\/|$)/,
    only: /^src\/(authenticator|console|ui)\//,
    why: 'only the authenticator and the console render with Preact',
  },
]

export const importRules: readonly ImportRule[] = [
  followArrows,
  keepPackagesInPlace,
  keepRulesPure,
  openStoreInOnePlace,
  saveWebSessionInOnePlace,
  bypassIndexes,
  importByPath,
]

function followArrows(file: SourceFile, imported: Import): string | undefined {
  const [from, to] = [part(file.path), imported.target === undefined ? undefined : part(imported.target)]
  if (from === undefined || to === undefined || from === to || open.has(to) || joining.has(from)) return undefined
  if ((arrows[from] ?? ['contract']).includes(to)) return undefined
  return `${from} must not import ${to}`
}

function keepPackagesInPlace(file: SourceFile, imported: Import): string | undefined {
  if (!file.path.startsWith('src/')) return undefined
  const violated = places.find((place) => place.what.test(imported.specifier) && !place.only.test(file.path))
  return violated && `imports ${imported.specifier}, but ${violated.why}`
}

function keepRulesPure(file: SourceFile, imported: Import): string | undefined {
  if (!/^src\/service\/features\/[^/]+\/([\w-]+-)?rules\.ts$/.test(file.path)) return undefined
  const impure = /^src\/service\/(engine\/(?!base\/)|.*(statements|operations|console)\.ts$)/.test(
    imported.target ?? '',
  )
  return impure ? `imports ${imported.specifier}, but the rules of a feature use neither HTTP nor SQL` : undefined
}

function openStoreInOnePlace(file: SourceFile, imported: Import): string | undefined {
  const store = /^src\/service\/engine\/database\/(sqlite(?!-file)|postgres)/.exec(imported.target ?? '')
  if (!store || file.path === 'src/service/open-core.ts' || file.path.startsWith(store[0])) return undefined
  return `imports ${imported.specifier}, but only service/open-core.ts opens a concrete store`
}

const webSession = new Set(['src/express/session/session-state.ts', 'src/express/session/web-session.ts'])

/** The functions that every file may import from there. All others save, change or detach the web session. */
const readsWebSession = new Set([
  'bindToService',
  'canSave',
  'checkWebSession',
  'expressSession',
  'hasMfaState',
  'hasWebSession',
  'openApprovals',
  'openChallenges',
  'readMfaState',
  'readOnly',
  'sessionIdOf',
  'unsaved',
])

/**
 * `forget.ts` is what apps and Passport call, `carry-over.ts` moves the state while Passport changes the id, and `debug-key.ts` names
 * the record of the debug page.
 */
const savesWebSession = new Set([
  'src/express/apply.ts',
  'src/express/session/debug-key.ts',
  'src/express/session/forget.ts',
  'src/express/session/web-session.ts',
  'src/passport/carry-over.ts',
])

function saveWebSessionInOnePlace({ path }: SourceFile, { target, names, typeOnly }: Import): string | undefined {
  if (!webSession.has(target ?? '') || typeOnly || savesWebSession.has(path)) return undefined
  const saving = names.filter((name) => !readsWebSession.has(name))
  if (saving.length === 0) return undefined
  return `imports ${saving.join(', ')}, but only express/apply.ts saves or detaches the web session: return it as an outcome`
}

function bypassIndexes(file: SourceFile, imported: Import): string | undefined {
  if (!file.path.startsWith('src/') || isIndex(file.path) || !isIndex(imported.target ?? '')) return undefined
  return `imports ${imported.specifier}: import the file that declares the name`
}

function importByPath(file: SourceFile, imported: Import): string | undefined {
  const inSource = file.path.startsWith('src/')
  if (inSource && /^second-factor(\/|$)/.test(imported.specifier)) {
    return `imports ${imported.specifier}: files of the package import each other by path`
  }
  if (!inSource && imported.target?.startsWith('src/')) return 'an app imports the package by its name'
  return undefined
}

/** index.ts files only re-export: readers do not look for behavior there. */
export function linesBeyondReExports(file: SourceFile): readonly number[] {
  return file.path.startsWith('src/') && isIndex(file.path) ? file.ownStatements : []
}

/** The folder, or file, directly below src/. */
function part(path: string): string | undefined {
  return /^src\/([^/]+)/.exec(path)?.[1]
}

function isIndex(path: string): boolean {
  return /(^|\/)index\.tsx?$/.test(path)
}

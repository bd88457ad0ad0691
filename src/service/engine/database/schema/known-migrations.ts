import type { EngineName } from './engine.ts'

type KnownMigration<Name extends string = string> = { readonly name: Name } & Readonly<Record<EngineName, string>>

const migration = <const Name extends string>(name: Name, sqlite: string, postgres = sqlite): KnownMigration<Name> => ({
  name,
  sqlite,
  postgres,
})

/**
 * The migrations in their order, each with the hash of its statements, which databases store. They are written out, because most
 * starts need no statement. `migrations.ts` has the statements: add to them, and never edit one.
 */
export const knownMigrations = [
  migration('0001-schema', '33dc6e92eb80c06a2078ea4f1ce92f00', '7f8e00cd9c3f71933df6abc9627256d4'),
  migration('0002-consent', 'f7db5a20c297ddc39648c0fe25aaaccf'),
  migration('0003-consent-subject', '50dd8ff409443e26af9ffd4096201b2d'),
  migration('0004-search-rows', '3f2a1d9be181a10a2864a207c6d2cf2d', 'd9b60ed30790d9c9aa0ae019f4a7b761'),
  migration('0005-caller-strength', '33bb328618e8c1c9c452edcf70bccaba'),
  migration('0006-kept-browser-of-session', '76f7ca2a74d1ddf43b37561e075969eb'),
  migration('0007-administrator-namesake', '1ecd5bebb15cf8813313b9f46c553a67'),
  migration('0008-api-key-of-organization', 'eee96a6b05068dadbad23a736df589ca'),
  migration('0009-folded-search', 'a7bd8d4a16df569bed45cffc92c3d6f0', 'b76033039e7b6dd5b36050b5ef4376a1'),
  migration('0010-person-order', '4eca43a7f4dbe443b17cac37f5062c6e', '863b6cc55f0ac9ded1850120c0907ded'),
  migration('0011-recovery-codes-of-user', 'f248ceae292698aa664cf5cd9bef56fd'),
  migration('0012-browser-of-session', 'fecd5255275873455d7fb2aca45f6074'),
  migration('0013-mail-report', 'a3684d42829b3eed80f2f6e83bcb238b'),
  migration('0014-time-zone-of-user', 'c4d18f0d866d2f6aae8a1a8389e62f19'),
  migration('0015-migration-hash', '0feee793a3424b8e230551f1c1f52e08'),
  migration('0016-member-order', '670665251f776774a7248ed780c5b7c3', '950cba306997664ca47473c78639ff01'),
  migration('0017-remembered-answer', '9691a75889dfbb21050740f6e6838ac3'),
  migration('0018-code-algorithm', 'bc23db530702dc4255a2534d703a7abc'),
  migration('0019-imported-factors', '37e85018d45f96107889f3a7d5e956f3'),
  migration('0020-code-counter', '521bf9ac68fce89fb916089113eb0c20'),
  migration('0021-import-after-reset', '425c5e1fec342a6341ba349e59db663a'),
  migration('0022-approval', '813003947a260c8c39f98a28f7a84630', '4a48f4310400901acabf5d50581c6b83'),
  migration('0023-oidc', 'be2fd9d1ab687a15bfc471854fa0b81e'),
  migration('0024-oidc-pkce', '36f46065d506b3b2473a6646e6217321'),
  migration('0025-oidc-ping', '7fd6f224e0f781a4d8cc60b3b00b2cd2'),
  migration('0026-person-facts', 'b5c2891ea7dfc30d50d3a3b3bacd0213', '20372527013f690cc0868396a5493173'),
] as const

export type MigrationName = (typeof knownMigrations)[number]['name']

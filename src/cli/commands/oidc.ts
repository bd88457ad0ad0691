import type { Command } from 'commander'

import { listSigningKeys, replaceSigningKeys, rotateSigningKey } from '../../service/features/oidc/keys.ts'
import { databaseCommand, groupCommand } from '../admin/command.ts'
import { withDatabase } from '../database/open.ts'
import { withErrorHandling } from '../terminal/failure.ts'
import { dateOf, printDone, printJson, printTable } from '../terminal/print.ts'
import { confirm, yesOption } from '../terminal/prompt.ts'
import { oidcClientCommand } from './oidc-client.ts'

/** `second-factor oidc`. */
export function oidcCommand(): Command {
  return groupCommand(
    'oidc',
    'manage the clients and the signing keys of the OpenID provider',
    [oidcClientCommand(), keysCommand()],
    ['oidc client list --database mfa.sqlite', 'oidc keys list --database mfa.sqlite'],
  )
}

function keysCommand(): Command {
  return groupCommand(
    'keys',
    'manage the keys that ID tokens are signed with',
    [listCommand(), rotateCommand()],
    ['oidc keys list --database mfa.sqlite', 'oidc keys rotate --database mfa.sqlite'],
  )
}

interface KeySettings {
  readonly database: string
  readonly json?: boolean
}

function listCommand(): Command {
  return databaseCommand('list', 'list the published keys', 'oidc keys list')
    .option('--json', 'print JSON')
    .action(
      withErrorHandling((settings: KeySettings) =>
        withDatabase({ database: settings.database }, async (ctx) => {
          const keys = await listSigningKeys(ctx)
          if (settings.json) return printJson(keys)
          const rows = keys.map(({ id, state, signsFrom, publishedUntil }) => [
            state,
            dateOf(signsFrom),
            publishedUntil === null ? '' : dateOf(publishedUntil),
            id,
          ])
          const none = 'No keys yet. The provider makes the first one when it starts.'
          printTable(['State', 'Signs from', 'Published until', 'Id'], rows, none)
        }),
      ),
    )
}

interface Rotating extends KeySettings {
  readonly replace?: boolean
  readonly yes?: boolean
}

function rotateCommand(): Command {
  return databaseCommand('rotate', 'publish the next key, which signs in two days', [
    'oidc keys rotate',
    'oidc keys rotate --replace --yes --json',
  ])
    .option('--replace', 'sign with a new key at once, and end all others: for keys that somebody else may know')
    .option(...yesOption)
    .option('--json', 'print JSON')
    .action(
      withErrorHandling(async (settings: Rotating) => {
        if (settings.replace)
          await confirm('end all signing keys, and with them the signatures of ID tokens', settings.yes)
        await withDatabase({ database: settings.database }, async (ctx) => {
          if (settings.replace) {
            const replaced = await replaceSigningKeys(ctx)
            return printDone(
              settings,
              { replaced },
              'A new key signs. Clients accept it once they have read the keys again.',
            )
          }
          const published = await rotateSigningKey(ctx)
          const sentence = published
            ? 'Published the next key. It signs in two days.'
            : 'The next key is published already, and does not sign yet.'
          printDone(settings, { published }, sentence)
        })
      }),
    )
}

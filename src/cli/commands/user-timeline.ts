import type { Command } from 'commander'
import { Option } from 'commander'

import { listPersonTimeline } from '../../admin-contract/timeline.ts'
import type { PersonSignIn, TimelineEntry, TimelineKind } from '../../admin-contract/timeline.ts'
import { list } from '../../service/features/people/timeline.ts'
import { countSignIns } from '../../service/features/sessions/count-sign-ins.ts'
import { adminCommand } from '../admin/command.ts'
import type { AdminSettings } from '../admin/command.ts'
import { findUser } from '../admin/find.ts'
import { serviceAction } from '../admin/local-service.ts'
import type { LocalService } from '../admin/local-service.ts'
import { integer } from '../terminal/parse.ts'
import { dateOf, printJson, printTable, shortId } from '../terminal/print.ts'

interface Settings extends AdminSettings {
  readonly limit: number
  readonly signIns?: boolean
  readonly changes?: boolean
}

/** `second-factor user timeline`. */
export function timelineCommand(): Command {
  return adminCommand('timeline', 'list the sign-ins of a user and the changes of what signs in, newest first', [
    'user timeline alice',
    'user timeline alice --sign-ins --limit 20 --json',
  ])
    .argument('<user>', 'username or id')
    .option('--limit <number>', 'maximum number of entries', integer(1), 50)
    .addOption(new Option('--sign-ins', 'only sign-ins').conflicts('changes'))
    .addOption(new Option('--changes', 'only changes'))
    .action(
      serviceAction(async (service, nameOrId: string, settings: Settings) => {
        const user = await findUser(service, nameOrId)
        const kind = settings.signIns ? 'sign_ins' : settings.changes ? 'changes' : undefined
        const timeline = await readTimeline(service, { userId: user.id, kind, limit: settings.limit })
        if (settings.json) return printJson(timeline)
        const { waiting, entries, names } = timeline
        const rows = [
          ...waiting.map((signIn) => waitingCells(signIn, names)),
          ...entries.map((entry) => entryCells(entry, names)),
        ]
        printTable(['Time', 'Event', 'Domain', 'Actor', 'Details'], rows, 'No entries.')
      }),
    )
}

type Names = Readonly<Record<string, string>>

interface Timeline {
  /** Sign-ins that wait for an answer now. */
  readonly waiting: readonly PersonSignIn[]
  readonly entries: readonly TimelineEntry[]
  /** The names of domains and administrators. */
  readonly names: Names
}

interface Query {
  readonly userId: string
  readonly kind: TimelineKind | undefined
  readonly limit: number
}

/** Reads page by page, as the console does. The newest sign-ins are in the timeline only when they have been counted. */
async function readTimeline({ ctx, call }: LocalService, { userId, kind, limit }: Query): Promise<Timeline> {
  await countSignIns(ctx)
  const read = (before?: string) =>
    call(
      listPersonTimeline,
      { params: { userId }, query: { ...(kind && { kind }), ...(before !== undefined && { before }) } },
      list,
    )
  let page = await read()
  const { waiting } = page
  const [entries, names] = [page.entries, page.names]
  while (page.next !== undefined && entries.length < limit) {
    page = await read(page.next)
    entries.push(...page.entries)
    Object.assign(names, page.names)
  }
  return { waiting, entries: entries.slice(0, limit), names }
}

function waitingCells(signIn: PersonSignIn, names: Names): string[] {
  return [dateOf(signIn.at), 'waiting', nameOf(signIn.domain, names), '-', originOf(signIn).join(' ')]
}

function entryCells({ at, event, actor, facts, signIn }: TimelineEntry, names: Names): string[] {
  const { domain, administrator, ...otherFacts } = facts
  const factTexts = Object.entries(otherFacts)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}=${value}`)
  const affected = administrator ? [`administrator=${nameOf(administrator, names)}`] : []
  const details = [...factTexts, ...affected, ...(signIn ? originOf(signIn) : [])]
  return [dateOf(at), event, nameOf(domain, names), actorOf(actor, names), details.join(' ') || '-']
}

/** Facts from the app come last, so that they cannot pass for facts that the service knows. */
const originOf = ({
  address,
  knownBrowser,
  attributes,
}: Pick<PersonSignIn, 'address' | 'knownBrowser' | 'attributes'>) => [
  ...(address === undefined ? [] : [`address=${address}`]),
  ...(knownBrowser === undefined ? [] : [`known-browser=${knownBrowser ? 'yes' : 'no'}`]),
  ...attributes.map(({ key, value }) => `${key}=${value}`),
]

const actorOf = ({ kind, id }: TimelineEntry['actor'], names: Names): string =>
  [kind.replace('_', ' '), ...(id === '' ? [] : [nameOf(id, names)])].join(' ')

const nameOf = (id: TimelineEntry['facts'][string] | undefined, names: Names): string =>
  id ? (names[String(id)] ?? shortId(String(id))) : '-'

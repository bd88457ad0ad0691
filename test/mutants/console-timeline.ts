import type { Mutant } from './mutant.ts'

const timeline = 'service/features/people/timeline.test.ts'
const handlers = 'src/service/features/people/timeline.ts'
const store = 'src/service/features/people/timeline-statements.ts'

export const mutants: readonly Mutant[] = [
  {
    defense: 'the domains of an administrator in the timeline of a person',
    file: handlers,
    find: 'everyone: domainIds === null ? 1 : 0',
    replace: 'everyone: 1',
    test: timeline,
    title: 'the timeline of a person shows an administrator of some domains nothing about other domains',
  },
  {
    defense: 'the person whose timeline is read',
    file: store,
    find: "      .where('user.id', '=', slots.userId)\n",
    replace: "      .where('user.id', '<>', '')\n",
    test: timeline,
    title: 'the timeline of a person has no entries about other people',
  },
  {
    defense: 'the facts of the audit trail that the help desk does not read',
    file: handlers,
    find: '.filter(([name]) => plainFacts.includes(name))',
    replace: '',
    test: timeline,
    title: 'changes in the timeline name no address, and no id of a key, device, session or factor',
  },
  {
    defense: 'the ids of API keys and devices in the timeline of a person',
    file: handlers,
    find: "id: kind === 'administrator' ? id : '',",
    replace: 'id,',
    test: timeline,
    title: 'changes in the timeline name no address, and no id of a key, device, session or factor',
  },
  {
    defense: 'entries that are removed from the timeline with those of the audit trail',
    file: 'src/service/engine/audit/retention.ts',
    find: '    await removeFromTimeline(db, { writer, after: start.startSequence, through: last.sequence })\n',
    replace: '',
    test: timeline,
    title: 'timeline entries are removed with the audit trail, and with the person',
  },
  {
    defense: 'the sign-in that everything but the command line needs to see people',
    file: 'src/service/features/administrators/call.ts',
    find: "!console && actor.kind === 'cli'",
    replace: '!console && actor.kind !== undefined',
    test: 'service/features/administrators/visibility.test.ts',
    title: 'a call with an API key, or from the console before sign-in, sees nothing',
  },
]

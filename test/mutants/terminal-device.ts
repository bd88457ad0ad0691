import type { Mutant } from './mutant.ts'

const test = 'cli/device/actions.test.ts'
const folder = 'src/cli/device'

/** The authenticator for the terminal, with actions to approve. */
export const mutants: readonly Mutant[] = [
  {
    defense: 'an action is approved at the terminal only by its id',
    file: `${folder}/pending.ts`,
    find: '...(id === undefined ? [] : actions.map((each) => ({ each, id: each.approval.id }))),',
    replace: '...actions.map((each) => ({ each, id: each.approval.id })),',
    test,
    title: 'second-factor device approve answers the sign-in, not an action beside it',
  },
  {
    defense: 'an action is named by enough of its id where nobody is asked',
    file: `${folder}/answer-action.ts`,
    find: 'if (!canPrompt() && id.length < minIdLength) {',
    replace: 'if (!canPrompt() && id.length < minIdLength - 100) {',
    test,
    title: 'second-factor device approve signs no action without its id: %j',
  },
  {
    defense: 'an action with content that cannot be shown is not approved at the terminal',
    file: `${folder}/answer-action.ts`,
    find: '  if (!readContent(pending.approval)) throw new Failure(unreadable)\n',
    replace: '',
    test,
    title: 'an action whose content has %s is not shown, and cannot be approved',
  },
  {
    defense: 'the content of an action is read strictly',
    file: 'src/device/approvals.ts',
    find: 'return data?.approval === approval.id ? data : undefined',
    replace: 'return data',
    test,
    title: 'an action whose content has %s is not shown, and cannot be approved',
  },
  {
    defense: 'device watch --approve approves no action',
    file: `${folder}/watch.ts`,
    find: '  printAction(pending)\n  if (isInteractive(settings))',
    replace:
      "  printAction(pending)\n  if (settings.approve) await device.answerApproval(pending.account, pending.approval, { decision: 'approve' })\n  if (isInteractive(settings))",
    test,
    title: 'second-factor device watch --approve prints an action as it arrives, and does not approve it',
  },
  {
    defense: 'characters of an action that a terminal does not show',
    file: `${folder}/print-action.ts`,
    find: 'for (const character of escapedText(text)) {',
    replace: 'for (const character of escapedText(text) && text) {',
    test,
    title: 'second-factor device list prints invisible and direction characters of an action by their numbers',
  },
  {
    defense: 'the bar before each line of an action',
    file: `${folder}/print-action.ts`,
    find: 'lines.push(...wrapped(value, room).map((line) => deeper + line))',
    replace: 'lines.push(deeper + escapedText(value))',
    test,
    title: 'no value of an action can look like a fact of the service, however the terminal wraps it',
  },
  {
    defense: 'the kind of a requester at the terminal',
    file: `${folder}/print-action.ts`,
    find: "${kind === 'app' ? '(not confirmed)' : '(user)'}`",
    replace: '`',
    test,
    title: 'no user can have a name that looks like the person themselves',
  },
  {
    defense: 'answers that were typed before an action was shown',
    file: `${folder}/answer-action.ts`,
    find: '    if (answer && now() - shownAt < minReadingTime) continue\n',
    replace: '',
    test,
    title: 'an answer that was typed before an action was shown does not answer it',
  },
]

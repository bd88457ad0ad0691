import type { Mutant } from './mutant.ts'

const [ciba, request, results] = ['src/oidc/ciba.ts', 'src/oidc/ciba-request.ts', 'src/oidc/ciba-results.ts']
const test = 'oidc/ciba.test.ts'

/** Backchannel authentication: who may ask, what the device shows, and whom the answer is for. */
export const mutants: readonly Mutant[] = [
  {
    defense: 'backchannel clients that ask too often are slowed down',
    file: results,
    find: '    if (early) throw new errors.SlowDown()\n',
    replace: '    void early\n',
    test,
    title: 'a backchannel request has the client wait, and wait longer if it asks too often',
  },
  {
    defense: 'a backchannel request ends at its time, on the device as well',
    file: results,
    find: '  await calls.cancel(domainId, id)\n',
    replace: '',
    test,
    title: 'a backchannel request ends after the time that the client has asked for, also on the device',
  },
  {
    defense: 'no backchannel request without a number where the domain requires one',
    file: ciba,
    find: "  if (domain.numberMatching === 'required' && !numberMatching)",
    replace: "  if (domain.id === '')",
    test,
    title: 'a backchannel request shows the number where the client has a screen, and only then',
  },
  {
    defense: 'the message of a backchannel request is shown as it is',
    file: request,
    find: "  text(1, maximum).refine((value) => !hasDirectionControls(value), 'must not change the direction of text')",
    replace: '  text(1, maximum)',
    test,
    title: 'a backchannel request is refused for %s',
  },
  {
    defense: 'an acr that a device cannot meet is refused before anybody is asked',
    file: ciba,
    find: '  if (acr === undefined)\n',
    replace: '  if (acr === undefined && requirementOf(params).fresh)\n',
    test,
    title: 'a backchannel request is refused for %s',
  },
  {
    defense: 'an approved action is no sign-in',
    file: results,
    find: "  if (kind === 'approval') return {}\n",
    replace: '',
    test,
    title: 'a backchannel request has the action approved that it describes, and names the approval',
  },
]

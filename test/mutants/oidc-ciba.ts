import type { Mutant } from './mutant.ts'

const [ciba, request, results] = ['src/oidc/ciba.ts', 'src/oidc/ciba-request.ts', 'src/oidc/ciba-results.ts']
const test = 'oidc/ciba.test.ts'
const [sender, pings] = ['src/service/features/oidc/send-ping.ts', 'service/features/oidc/pings.test.ts']

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
  {
    defense: 'an answer before the end of a backchannel request counts',
    file: results,
    find: '  return outcomeOf(await calls.get(domainId, id), isLate)\n',
    replace: "  return 'expired'\n",
    test,
    title: 'a person who answers %s in the last moment is heard, although the client waits no longer',
  },
  {
    defense: 'one node takes a ping',
    file: 'src/service/features/oidc/ping-statements.ts',
    find: "      .where('artifactId', '=', artifactId)\n      .where('tries', '=', tries),\n)\n\n/** Moves",
    replace:
      "      .where('artifactId', '=', artifactId)\n      .where('tries', '>=', derived(tries, () => 0)),\n)\n\n/** Moves",
    also: [
      {
        file: 'src/service/features/oidc/ping-statements.ts',
        find: 'import { allRows, change, changesRow, firstValue }',
        replace: 'import { allRows, change, changesRow, derived, firstValue }',
      },
    ],
    test: pings,
    title: 'a message to an OpenID client is taken once when two nodes take it at once',
  },
  {
    defense: 'a ping of a node that has ended is due again',
    file: 'src/service/features/oidc/ping-statements.ts',
    find: "  openPings(db).where('oidcPing.dueAt', '<=', now)",
    replace: "  openPings(db).where('oidcPing.tries', '=', 0).where('oidcPing.dueAt', '<=', now)",
    test: pings,
    title: 'an OpenID client is told by another node if one has ended between the answer and the message',
  },
  {
    defense: 'an end of the tries of a ping',
    file: sender,
    find: "verdict === 'later' && taken.tries < maxTries",
    replace: "verdict === 'later' && taken.tries < maxTries * 100",
    test: pings,
    title: 'an OpenID client that is out of order is told again later, and not for ever',
  },
  {
    defense: 'no second ping after a refusal or a redirect',
    file: sender,
    find: 'if (!reply || reply.status >= 500)',
    replace: 'if (!reply || reply.status >= 300)',
    test: pings,
    title: 'an OpenID client that %s is not told again',
  },
  {
    defense: 'pings to public addresses only',
    file: 'src/service/engine/outgoing/public-agent.ts',
    find: '!addresses.every(({ address }) => isPublicAddress(address))',
    replace: 'addresses.length === 0',
    test: pings,
    title: 'an OpenID client whose name leads to %s is not contacted',
  },
  {
    defense: 'a ping says nothing but the id of the request',
    file: 'src/service/features/oidc/send-ping.ts',
    find: 'JSON.stringify({ auth_req_id: requestId })',
    replace: 'JSON.stringify({ auth_req_id: requestId, endpoint })',
    test: 'oidc/ciba-ping.test.ts',
    title: 'a client is told nothing but the id of its request when a person answers %s',
  },
  {
    defense: 'a notification endpoint by name',
    file: 'src/admin-contract/oidc-addresses.ts',
    find: 'return isResource(address) && /',
    replace: "return isResource(address) || /x/.test('y') && /",
    test: 'oidc/ciba-ping.test.ts',
    title: 'a client can’t be told at %s',
  },
  {
    defense: 'clients learn that the database does not answer',
    file: 'src/oidc/outage.ts',
    find: '  if (!isTrouble(error) && !(error instanceof StoreUnavailableError)) return error\n',
    replace: '  if (!isTrouble(error) || error instanceof StoreUnavailableError) return error\n',
    test: 'oidc/unavailable.test.ts',
    title: 'while the database does not answer, a client that %s gets temporarily_unavailable',
  },
]

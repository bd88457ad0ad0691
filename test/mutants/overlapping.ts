import type { Mutant } from './mutant.ts'

const service = 'service/features/browsers/asking-browser.test.ts'
const web = 'journeys/overlapping.test.ts'
const phone = 'journeys/two-requests.long.ts'
const sessions = 'src/service/features/sessions/statements.ts'

/** Requests that overlap: what replaces them, what cancels them, and when a device warns. */
export const mutants: readonly Mutant[] = [
  {
    defense: 'that a newer request of the same browser replaces its older one',
    file: 'src/service/features/sessions/create.ts',
    find: 'binding === undefined ? [] : await replace(call, db, { ...session, binding })',
    replace: '[]',
    test: service,
    title: 'a browser that asks many times at once replaces its own request and no other browser’s',
  },
  {
    defense: 'that a request replaces none of another browser',
    file: sessions,
    find: ', binding: slots.binding }',
    replace: ' }',
    test: service,
    title: 'a browser that asks many times at once replaces its own request and no other browser’s',
  },
  {
    defense: 'that a request replaces none of another user',
    file: sessions,
    find: 'is.and({ userId: slots.userId, domainId: slots.domainId, binding: slots.binding })',
    replace: 'is.and({ domainId: slots.domainId, binding: slots.binding })',
    test: service,
    title: 'a browser’s new sign-in request does not replace a request of another user',
  },
  {
    defense: 'that a replaced request wakes who waits for it',
    file: 'src/service/features/sessions/created-session.ts',
    find: '  notifyCancelled(call, replaced)\n',
    replace: '  void replaced\n',
    test: service,
    title: 'replacing a sign-in request wakes the callers that wait for it',
  },
  {
    defense: 'that a browser in which the user never passed is said to be new',
    file: 'src/service/features/sessions/create.ts',
    find: 'return hasPassed ? 1 : 0',
    replace: 'return hasPassed ? 1 : null',
    test: service,
    title: 'a browser in which the user has never passed is new, even if its reported details are known',
  },
  {
    defense: 'that ended sessions make every browser a new one',
    file: 'src/service/features/people/end-sessions.ts',
    find: '  await endKnownBrowsers(db, [userId])\n',
    replace: '',
    test: service,
    title: 'a browser is new again after an administrator ends the user’s sessions, because one may be an attacker’s',
  },
  {
    defense: 'that only the first request of a device is one of its enrollment',
    file: 'src/service/features/sessions/create.ts',
    find: 'input.enrolling === true && (await greetDevice(db, deviceId))',
    replace: 'input.enrolling === true',
    test: service,
    title: 'only the first request of the challenge that set up the device skips the new-browser warning',
  },
  {
    defense: 'that a challenge which is no longer stored asks nobody',
    file: 'src/express/apply.ts',
    find: 'cancelRequests(req, mfa, dropped)',
    replace: 'void dropped',
    test: web,
    title: 'a request on a device is canceled when another challenge takes its place',
  },
  {
    defense: 'that the end of a login cancels what was open for it',
    file: 'src/express/app-login/login-ends.ts',
    find: '  cancelRequests(req, mfa, openChallenges(req))\n',
    replace: '',
    also: [{ file: 'src/express/apply.ts', find: 'cancelRequests(req, mfa, dropped)', replace: 'void dropped' }],
    test: web,
    title: 'a request on a device is canceled when the user signs out: %s',
  },
  {
    defense: 'that another login cancels what was open before it',
    file: 'src/express/app-login/passport-logins.ts',
    find: '      if (context) void endWithLogin(this, context.mfa)\n',
    replace: '',
    test: web,
    title: 'a request on a device is canceled when somebody signs in to the app again',
  },
  {
    defense: 'that the web half names the browser',
    file: 'src/challenge/push.ts',
    find: '    ...(challenge.binding !== undefined && { binding: challenge.binding }),\n',
    replace: '',
    test: web,
    title: 'a request replaces the older one from the same browser, whatever web session that had',
  },
  {
    defense: 'that a request opens only by a press where another waited at the same time',
    file: 'src/authenticator/app.tsx',
    find: 'if (count > 1) for (const { id } of waiting) crowd.current.add(id)',
    replace: 'void waiting',
    test: phone,
    title: 'a newer request on the phone stays in the list after %s of the open one',
  },
  {
    defense: 'that a newer request does not open while one is open',
    file: 'src/authenticator/screen.ts',
    find: "  if (screen.name === 'home' && countOf(inbox) === 1)",
    replace: '  if (countOf(inbox) === 1)',
    test: phone,
    title: 'a newer request on the phone is announced above the open one, and opens by a press alone',
  },
]

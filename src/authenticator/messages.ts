/** Every word the authenticator says. Plain and short; what to do, never whose fault. */
export const messages = {
  appName: 'Authenticator',
  title: (pending: number) => (pending > 0 ? `(${pending}) Authenticator` : 'Authenticator'),

  waiting: 'Waiting for requests',
  nothing: 'Nothing to approve. Requests appear here by themselves.',
  allRemoved: 'No account left',
  allRemovedSentence: 'Add one to approve sign-ins with this device.',
  offline: 'You are offline. We go on as soon as the connection is back.',
  unreachable: 'The service does not answer. We keep trying.',
  severalRequests: 'Which one is yours?',
  severalRequestsSentence: 'There is more than one request. Open the one you started yourself.',
  accounts: 'Accounts',
  addAnother: 'Add an account',
  remove: 'Remove',
  removeNamed: (domain: string, username: string) => `Remove ${username} at ${domain}`,
  removedBy: (organization: string) => `This account was removed by ${organization}.`,
  dismiss: 'Take off the list',
  showCode: 'Show code',
  showCodeOf: (domain: string, username: string) => `Show code of ${username} at ${domain}`,
  copyCode: (code: string) => `Copy code ${code}`,
  copyHint: 'Copy',
  copied: 'Copied',
  codeLeft: (seconds: number) => `${seconds} s`,

  addTitle: 'Add an account',
  addSentence: 'Scan or open the link on the web page, or type its activation code here.',
  codeLabel: 'Activation code or link',
  continue: 'Continue',
  looking: 'One moment…',
  previewTitle: 'Add this account?',
  previewSentence: 'Add it only if you asked for it yourself just now.',
  organization: 'Organization',
  domain: 'For',
  user: 'Username',
  addThis: 'Add this account',
  cancel: 'Cancel',

  signInAs: 'Sign in as',
  from: 'From',
  reportedByApp: 'reported by the app',
  time: 'Time',
  numberLabel: 'Type the number the web page shows',
  timeLeft: (seconds: number) => {
    if (seconds <= 0) return 'Time is running out'
    return seconds === 1 ? '1 second left' : `${seconds} seconds left`
  },
  approve: 'Approve',
  deny: 'Deny',
  report: 'This was not me',
  reportSentence: 'Denies the request and marks it as not yours.',
  allRequests: (count: number) => `All ${count} requests`,

  approved: 'Approved',
  denied: 'Denied',
  reported: 'Reported',
  reportedSentence: 'Somebody may know your password. Change it soon.',
  wrongNumber: 'The numbers did not match',
  wrongNumberSentence: 'Start again on the web page.',
  expired: 'Time ran out',
  expiredSentence: 'Nothing was approved. Start again on the web page.',
  gone: 'No longer needed',
  goneSentence: 'The request was taken back or answered already.',
  ok: 'OK',

  removeTitle: 'Remove this account?',
  removeSentence: (domain: string, username: string) =>
    `This device can then no longer approve sign-ins to ${domain} as ${username}. To add it again you need a new code.`,
  keep: 'Keep',
  removeHereOnly: 'Remove from this device only',

  cannotRun: 'This page cannot keep your keys safe',
  insecure: 'It was opened over a connection that is not secure. Open it with https:// in front, or on localhost.',
  oldBrowser: 'This browser is too old for it. Update it, or use another one.',
  noStorage: 'This browser does not let it store anything. Use a normal window, not a private one.',
  oneMoment: 'One moment…',
} as const

/** What went wrong and what to do, for each way a call can end. */
export const problems = {
  badCode: 'That code does not work. Check it, or get a new one on the web page.',
  otherAddress: 'That link belongs to another address. Open the link itself instead.',
  tooMany: (seconds: number | undefined) => {
    const minutes = Math.max(1, Math.ceil((seconds ?? 60) / 60))
    return `Too many tries. Wait ${minutes === 1 ? 'a minute' : `${minutes} minutes`}, then try again.`
  },
  offline: 'You are offline. Try again when the connection is back.',
  unreachable: 'The service does not answer. Try again in a moment.',
  clock: 'The clock of this device is wrong. Set it, then try again.',
  removed: 'This account was removed. To add it again you need a new code.',
  unexpected: 'That did not work. Try again.',
} as const

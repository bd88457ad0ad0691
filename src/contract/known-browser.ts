/**
 * The budget of pushes and wrong codes that a request counts against: that of the user's known browsers together, or that of
 * everything else. The two are independent.
 */
export type Budget = 'known' | 'other'

/**
 * The browser that a session came from. `kept`: it has shown its key; `new`: it has not; `keeping`: it has not, and the person
 * chose on the device to keep it. Null for callers that do not distinguish browsers.
 */
export type SessionBrowser = 'kept' | 'new' | 'keeping'

/**
 * Which browser of the app a session came from, so that its newer request replaces it, and whether the user has passed there before.
 * And whether the challenge that has set up a device has asked it. Present devices were asked long ago.
 */
export const browserOfSession: readonly string[] = [
  'alter table session add column binding text',
  'alter table session add column passed_before integer',
  'alter table device add column greeted integer default 0 not null',
  'update device set greeted = 1',
]

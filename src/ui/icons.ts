/** The drawings of icons: paths in a square of 24. Each is a name of its own, so that a bundle has only those it uses. */

/** A path in a square of 24. */
export type IconPath = `M${string}`

export const check = 'M5 13l4.5 4.5L19.5 7'
export const cross = 'M6 6l12 12M18 6 6 18'
export const warning = 'M12 4 2.5 20h19ZM12 10v4.5M12 17.2v.3'
export const clock = 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18ZM12 7v5l3.5 2'
export const offline = 'M3 3l18 18M8.5 16.5a5 5 0 0 1 7 0M5 12.5a10 10 0 0 1 5-2.7M14 9.8a10 10 0 0 1 5 2.7M12 20v.1'
export const phone =
  'M8 2.5h8a1.5 1.5 0 0 1 1.5 1.5v16a1.5 1.5 0 0 1-1.5 1.5H8A1.5 1.5 0 0 1 6.5 20V4A1.5 1.5 0 0 1 8 2.5ZM11 18.5h2'
export const history = 'M4 12a8 8 0 1 0 2.5-5.8L4 8.5M4 4v4.5h4.5M12 8v4.5l3 1.5'
export const settings = 'M4 7h9M17 7h3M4 17h3M11 17h9M15 4.5v5M9 14.5v5'
export const more =
  'M4.5 12a1 1 0 1 0 2 0 1 1 0 1 0-2 0M11 12a1 1 0 1 0 2 0 1 1 0 1 0-2 0M17.5 12a1 1 0 1 0 2 0 1 1 0 1 0-2 0'
export const up = 'M12 19V5M6 11l6-6 6 6'
export const down = 'M12 5v14M6 13l6 6 6-6'
export const back = 'M15 5l-7 7 7 7'
export const scan = 'M4 8V4h4M16 4h4v4M20 16v4h-4M8 20H4v-4M8 8h3v3H8ZM14 13v3h-3M14 8h2v2M16 16v.01'
export const bell = 'M6 16V11a6 6 0 0 1 12 0v5l1.5 2h-15ZM10 20.5h4'
export const install = 'M12 4v10M8 10.5l4 4 4-4M5 19.5h14'
export const shield = 'M12 3l7.5 2.8v5.4c0 4.4-3.1 7.9-7.5 9.8-4.4-1.9-7.5-5.4-7.5-9.8V5.8ZM9 12h6'
export const place = 'M12 21s7-6 7-11.3a7 7 0 0 0-14 0C5 15 12 21 12 21ZM12 7a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5'
export const screen = 'M3.5 5h17v11.5h-17ZM9 20h6'
export const info = 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18ZM12 11v5.5M12 7.6v.3'
export const erase = 'M9 5h11v14H9L3 12ZM12 9.5l5 5M17 9.5l-5 5'
export const menu = 'M4 7h16M4 12h16M4 17h16'
export const people =
  'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7ZM2.5 20c0-3.6 2.9-6 6.5-6s6.5 2.4 6.5 6M16 4.3a3.5 3.5 0 0 1 0 6.4M18 14.5c2.1.8 3.5 2.8 3.5 5.5'
export const person = 'M12 11.5a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM4.5 20.5c0-4 3.4-6.5 7.5-6.5s7.5 2.5 7.5 6.5'
export const key = 'M15.5 3a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11ZM11.6 12.4 3.5 20.5M6.5 17.5l2.5 2.5M17 7.4v.2'
export const mail = 'M3.5 5.5h17v13h-17ZM4 6.5l8 6.5 8-6.5'
export const plus = 'M12 5v14M5 12h14'
export const search = 'M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13ZM15.2 15.2 20.5 20.5'
export const lock = 'M5.5 10.5h13v10h-13ZM8 10.5V7.5a4 4 0 0 1 8 0v3M12 14.5v2.5'
export const inbox = 'M3.5 13.5 6 5h12l2.5 8.5v5.5h-17ZM3.5 13.5h5l1.5 2.5h4l1.5-2.5h5'
export const grid = 'M4 4h6.5v6.5H4ZM13.5 4H20v6.5h-6.5ZM4 13.5h6.5V20H4ZM13.5 13.5H20V20h-6.5Z'
export const list = 'M8.5 6H20M8.5 12H20M8.5 18H20M4 6v.1M4 12v.1M4 18v.1'
export const live =
  'M12 10.5a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3ZM8 16a5.7 5.7 0 0 1 0-8M16 8a5.7 5.7 0 0 1 0 8M5 19a9.9 9.9 0 0 1 0-14M19 5a9.9 9.9 0 0 1 0 14'
export const pause = 'M9 5v14M15 5v14'
export const chart = 'M4.5 4v15.5H20M9 16v-4M13 16V7.5M17 16v-6'
export const fob = 'M9 2.5h6l2.5 3v13a3 3 0 0 1-3 3h-5a3 3 0 0 1-3-3v-13ZM9.5 8.5h5v4h-5ZM12 17v.1'
export const upload = 'M12 15V4M8 8l4-4 4 4M5 14.5v5h14v-5'

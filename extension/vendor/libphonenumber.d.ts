// What the extension uses of the vendored bundle; written by hand, because the bundle brings no types.

/** Numbers with a country code that the library takes for valid, from left to right. */
export function findPhoneNumbersInText(text: string): { startsAt: number; endsAt: number }[];

/** Characters that are not seen, and change how the text around them looks. */

/** Controls, but tab and line break, and what turns the direction of text: `photo\u202egpj.exe` looks like a picture. */
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Text from a file for people to read: what is not seen is shown by its number, in the words of the command. */
export const visible = (text: string): string => text.replace(UNSEEN, (c) => `\\u{${c.codePointAt(0)!.toString(16)}}`);

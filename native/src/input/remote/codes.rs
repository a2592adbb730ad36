//! Errors of files in stores and behind HTTP.

use forebay::error::Code;

/// An address that cannot be read as one.
pub const ADDRESS: Code = Code::usage("remote.address", "An address is written wrongly; the message says how.");
/// What the server sends contradicts itself or the request.
pub const ANSWER: Code = Code::io(
    "remote.answer",
    "The server's answer does not fit the request or itself: other bytes, or another number of them.",
);
/// No bucket of that name.
pub const BUCKET: Code = Code::usage("remote.bucket", "There is no bucket or container of that name.");
/// The connection broke again and again.
pub const BROKEN: Code = Code::io("remote.broken", "The connection broke again and again before all bytes came.");
/// The store turned everybody away.
pub const BUSY: Code =
    Code::io("remote.busy", "The store asked to slow down, or was not there, until nobody would wait any longer.");
/// This machine's clock is wrong.
pub const CLOCK: Code = Code::io(
    "remote.clock",
    "The store refuses signatures of a clock that is minutes away from its own; set this machine's clock.",
);
/// Nobody answers.
pub const CONNECT: Code = Code::io("remote.connect", "No connection to the server could be made.");
/// Nothing to sign requests with.
pub const CREDENTIALS: Code =
    Code::usage("remote.credentials", "There are no credentials for the store, or they have expired.");
/// The store knows who asks, and does not let them.
pub const DENIED: Code = Code::usage("remote.denied", "The store does not let these credentials read that.");
/// The store cannot say what there is.
pub const LIST: Code = Code::unsupported(
    "remote.list",
    "A server of files does not say which there are, so patterns and folders are for stores of objects.",
);
/// Not in this build.
pub const NOT_BUILT: Code =
    Code::unsupported("remote.not_built", "This build of Forebay opens no addresses: its feature `remote` is off.");
/// Nothing of that name.
pub const NOT_FOUND: Code = Code::usage("remote.not_found", "There is no object of that name.");
/// The store does not say which uploads are unfinished.
pub const PARTS: Code = Code::unsupported(
    "remote.parts",
    "Such a store is not asked for unfinished uploads; the message says how to clear them there.",
);
/// A server that gives whole files only.
pub const RANGES: Code =
    Code::io("remote.ranges", "The server gives whole files and no ranges of them; fetch the file, and open it here.");
/// A redirect that is not followed.
pub const REDIRECT: Code = Code::io(
    "remote.redirect",
    "The server redirects to where nobody follows it: in circles, away from https, or to a private host from a public one.",
);
/// The bucket is elsewhere.
pub const REGION: Code = Code::usage("remote.region", "The bucket lies in another region than the one that was asked.");
/// Any other refusal.
pub const SERVER: Code = Code::io("remote.server", "The server refused, for a reason that the message repeats.");
/// A setting that means nothing.
pub const SETTING: Code = Code::usage("remote.setting", "A setting for a store is invalid; the message says why.");
/// It took too long.
pub const TIMEOUT: Code = Code::io("remote.timeout", "The server said nothing for too long.");
/// The server cannot prove who it is.
pub const TLS: Code = Code::io("remote.tls", "The connection could not be made safe; the message says why.");
/// Nothing can be written there.
pub const WRITE: Code = Code::unsupported(
    "remote.write",
    "Forebay writes to stores of objects; a server of files takes nothing that appears whole or not at all.",
);
/// Every code of this module.
pub const ALL: &[&Code] = &[
    &ADDRESS,
    &ANSWER,
    &BUCKET,
    &BROKEN,
    &BUSY,
    &CLOCK,
    &CONNECT,
    &CREDENTIALS,
    &DENIED,
    &LIST,
    &NOT_BUILT,
    &NOT_FOUND,
    &PARTS,
    &RANGES,
    &REDIRECT,
    &REGION,
    &SERVER,
    &SETTING,
    &TIMEOUT,
    &TLS,
    &WRITE,
];

//! The caller of a service, and the caller's permissions.
//!
//! A port's method takes what it needs: an [`Admin`], a [`Person`], or [`System`]. An `Admin` and a `Person` are made
//! only here, from a caller who is one, so a method that was not authorized cannot be called.

use std::ops::Deref;

use crate::error::Answer;
use crate::{
    error::AppError,
    ids::UserId,
    user::{Me, Role},
};

/// The sender of a request.
#[derive(Clone, Debug)]
pub enum Caller {
    /// Nobody is logged in.
    Anonymous,
    /// Somebody is, in a browser or with an access token.
    User(Me),
    /// Somebody is in a browser, and must choose a new password before anything else.
    NewPassword(Me),
}

/// The permissions that a method may require.
pub trait Capability: Sized {
    /// The capability, where the caller has it.
    ///
    /// # Errors
    /// 401 for nobody, 403 for somebody who may not.
    fn of(caller: &Caller) -> Answer<Self>;
}

/// Somebody with an account. Which studies they rate and which disagreements they adjudicate is looked up with
/// each request: every account may do both.
#[derive(Clone, Debug)]
pub struct Person(Me);

impl Deref for Person {
    type Target = Me;

    fn deref(&self) -> &Me {
        &self.0
    }
}

impl Capability for Person {
    fn of(caller: &Caller) -> Answer<Person> {
        match caller {
            Caller::User(me) => Ok(Person(me.clone())),
            Caller::NewPassword(_) => Err(AppError::Forbidden),
            Caller::Anonymous => Err(AppError::Unauthenticated),
        }
    }
}

/// The owner of an account, also while they must choose a new password, which a [`Person`] need not.
#[derive(Clone, Debug)]
pub struct Owner(Me);

impl Deref for Owner {
    type Target = Me;

    fn deref(&self) -> &Me {
        &self.0
    }
}

impl Capability for Owner {
    fn of(caller: &Caller) -> Answer<Owner> {
        match caller {
            Caller::User(me) | Caller::NewPassword(me) => Ok(Owner(me.clone())),
            Caller::Anonymous => Err(AppError::Unauthenticated),
        }
    }
}

/// The right to administer: of an admin's account, or of [`System`].
#[derive(Clone, Debug)]
pub struct Admin(Option<Person>);

impl Admin {
    /// The admin's account; absent for [`System`].
    pub fn person(&self) -> Option<&Person> {
        self.0.as_ref()
    }

    /// The account's number; absent for [`System`].
    pub fn id(&self) -> Option<UserId> {
        self.0.as_ref().map(|person| person.id)
    }
}

impl Capability for Admin {
    fn of(caller: &Caller) -> Answer<Admin> {
        let person = Person::of(caller)?;
        match person.role {
            Role::Admin => Ok(Admin(Some(person))),
            Role::Rater => Err(AppError::Forbidden),
        }
    }
}

/// The command line, and what the server does without a request. It may do everything, for it can write the data
/// folder anyway. Nothing that answers a request may name it; a test of the server holds that.
#[derive(Clone, Copy, Debug)]
pub struct System;

impl System {
    /// The right to administer.
    pub const fn admin(self) -> Admin {
        Admin(None)
    }
}

/// The author of a change, for the audit log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Actor {
    /// An account.
    Person(UserId),
    /// The command line or the server itself.
    System,
}

impl Actor {
    /// The account's number.
    pub fn id(self) -> Option<UserId> {
        match self {
            Actor::Person(id) => Some(id),
            Actor::System => None,
        }
    }
}

impl From<&Person> for Actor {
    fn from(person: &Person) -> Actor {
        Actor::Person(person.id)
    }
}

impl From<&Owner> for Actor {
    fn from(owner: &Owner) -> Actor {
        Actor::Person(owner.id)
    }
}

impl From<&Admin> for Actor {
    fn from(admin: &Admin) -> Actor {
        admin.id().map_or(Actor::System, Actor::Person)
    }
}

impl From<System> for Actor {
    fn from(_: System) -> Actor {
        Actor::System
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::Lang;

    fn user(role: Role) -> Caller {
        Caller::User(Me { id: UserId(7), name: "x".into(), role, lang: Lang::En, settings: Default::default() })
    }

    #[test]
    fn only_admins_administer_and_only_accounts_are_persons() {
        let check = |caller: Caller, person: Result<(), AppError>, admin: Result<(), AppError>| {
            assert_eq!(Person::of(&caller).map(drop), person, "{caller:?}");
            assert_eq!(Admin::of(&caller).map(drop), admin, "{caller:?}");
        };
        check(Caller::Anonymous, Err(AppError::Unauthenticated), Err(AppError::Unauthenticated));
        check(user(Role::Rater), Ok(()), Err(AppError::Forbidden));
        check(user(Role::Admin), Ok(()), Ok(()));
        let Caller::User(me) = user(Role::Admin) else { unreachable!("user() makes an account") };
        let waiting = Caller::NewPassword(me);
        check(waiting.clone(), Err(AppError::Forbidden), Err(AppError::Forbidden));
        assert!(Owner::of(&waiting).is_ok() && Owner::of(&Caller::Anonymous).is_err());
    }

    #[test]
    fn a_change_has_its_maker() {
        let admin = Admin::of(&user(Role::Admin));
        assert_eq!(admin.as_ref().map(Actor::from), Ok(Actor::Person(UserId(7))));
        assert_eq!(Actor::from(&System.admin()), Actor::System);
    }
}

//! An error as an HTTP answer, for requests that are neither pages nor server functions.

use app::error::AppError;
use axum::{
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};

use crate::error::Failure;

/// Answers with the error's status and its sentence.
#[derive(Debug)]
pub struct HttpError(pub AppError);

impl From<AppError> for HttpError {
    fn from(e: AppError) -> Self {
        HttpError(e)
    }
}

impl From<Failure> for HttpError {
    fn from(e: Failure) -> Self {
        HttpError(e.into())
    }
}

impl IntoResponse for HttpError {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.0.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = (status, format!("{}\n", self.0)).into_response();
        if let AppError::TooMany(seconds) = self.0 {
            response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
        }
        response
    }
}
